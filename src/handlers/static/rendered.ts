/**
 * Values that may depend on a turn. What does not is made once, when the handler is created: rendering it is a look at
 * a constant.
 */
import type { Turn } from "../../core/ports/handler.ts";

/** What a reply is made from: the turn, its text, and how the rule's regular expression matched. */
export interface Context {
  readonly turn: Turn;
  readonly text: string;
  readonly match: RegExpExecArray | undefined;
}

export type Rendered<T> =
  | { readonly kind: "fixed"; readonly value: T }
  | { readonly kind: "made"; readonly make: (context: Context) => T };

export function fixed<T>(value: T): Rendered<T> {
  return { kind: "fixed", value };
}

export function made<T>(make: (context: Context) => T): Rendered<T> {
  return { kind: "made", make };
}

export function render<T>(rendered: Rendered<T>, context: Context): T {
  return rendered.kind === "fixed" ? rendered.value : rendered.make(context);
}

export function mapped<T, U>(from: Rendered<T>, change: (value: T) => U): Rendered<U> {
  if (from.kind === "fixed") return fixed(change(from.value));
  return made((context) => change(from.make(context)));
}

export function listOf<T>(elements: readonly Rendered<T>[]): Rendered<readonly T[]> {
  if (elements.every((element) => element.kind === "fixed"))
    return fixed(elements.map((element) => element.value));
  return made((context) => elements.map((element) => render(element, context)));
}

/** An object of the members that are there. */
export function objectOf<T extends object>(members: {
  readonly [K in keyof T]: Rendered<T[K]> | undefined;
}): Rendered<T> {
  const constant: Partial<T> = {};
  const variable: [keyof T, (context: Context) => T[keyof T]][] = [];
  for (const name of Object.keys(members) as (keyof T)[]) {
    const value = members[name];
    if (value?.kind === "fixed") constant[name] = value.value;
    if (value?.kind === "made") variable.push([name, value.make]);
  }
  if (variable.length === 0) return fixed(constant as T);
  return made((context) => {
    const object = Object.assign({}, constant);
    for (const [name, make] of variable) object[name] = make(context);
    return object as T;
  });
}

/** A fixed value, or undefined for an absent one. */
export function given<T>(value: T | undefined): Rendered<T> | undefined {
  return value === undefined ? undefined : fixed(value);
}
