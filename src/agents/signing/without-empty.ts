import type { JsonValue } from "../../protocol/json.ts";
import { isList } from "./is-list.ts";

/** The value without what is empty or null in it, at any depth; undefined when nothing is left. */
export function withoutEmpty(value: JsonValue): JsonValue | undefined {
  if (value === null || value === "") return undefined;
  if (typeof value !== "object") return value;
  if (isList(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const kept = withoutEmpty(member);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
