/** Members of a card that came from outside: what is not of the right kind counts as absent. */
import type { JsonObject } from "../../protocol/json.ts";
import { isObject } from "../schema/objects.ts";

export type CardMembers = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): CardMembers {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The member alone, to be spread: empty text is no text. */
export function someText<K extends string>(card: CardMembers, name: K): { [N in K]?: string } {
  const text = textOf(card[name]);
  return text === "" ? {} : only(name, text);
}

export function someTexts<K extends string>(
  card: CardMembers,
  name: K,
): { [N in K]?: readonly string[] } {
  const texts = textsOf(card[name]);
  return texts.length === 0 ? {} : only(name, texts);
}

export function someFlag<K extends string>(card: CardMembers, name: K): { [N in K]?: boolean } {
  const flag = card[name];
  return typeof flag === "boolean" ? only(name, flag) : {};
}

export function someObject<K extends string>(
  card: CardMembers,
  name: K,
): { [N in K]?: JsonObject } {
  const object = card[name];
  return isObject(object) ? only(name, object as JsonObject) : {};
}

function only<K extends string, T>(name: K, value: T): { [N in K]?: T } {
  return { [name]: value } as { [N in K]?: T };
}
