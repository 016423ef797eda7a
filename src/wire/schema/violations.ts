import { A2AError, invalidParams, type FieldViolation } from "../../protocol/errors.ts";

/** Strict: what is required must be there. Lenient: what is missing or unknown takes its default. */
export type Mode = "strict" | "lenient";

/** Enough to correct a request by, and a bound on what a hostile one can make us say. */
const MOST = 20;

/**
 * What is wrong with a message, collected while it is decoded. Whoever finds a violation does not know where the
 * message stands in a greater one: each level puts its own name before the paths that were added below it.
 */
export class Violations {
  readonly lenient: boolean;
  readonly #found: FieldViolation[] = [];

  constructor(mode: Mode) {
    this.lenient = mode === "lenient";
  }

  get count(): number {
    return this.#found.length;
  }

  get full(): boolean {
    return this.#found.length >= MOST;
  }

  add(description: string, field = ""): void {
    if (!this.full) this.#found.push({ field, description });
  }

  /** Puts `name` before the paths of the violations from number `start` on. */
  prefix(start: number, name: string): void {
    for (const [index, { field, description }] of this.#found.entries()) {
      if (index < start) continue;
      const separator = field === "" || field.startsWith("[") ? "" : ".";
      this.#found[index] = { field: name + separator + field, description };
    }
  }

  /** Throws INVALID_PARAMS if anything was added; `whole` names what was decoded. */
  check(whole: string): void {
    const [first] = this.#found;
    if (first === undefined) return;
    if (first.field === "") throw new A2AError("INVALID_PARAMS", `${whole} ${first.description}`);
    throw invalidParams(this.#found);
  }
}

/** A value as a description may quote it: short, whatever the caller sent. */
export function quoted(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return kindOf(value);
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["object", "an object"],
  ["string", "a string"],
  ["number", "a number"],
  ["boolean", "a boolean"],
]);

/** What kind of JSON value it is, with its article. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return KINDS.get(typeof value) ?? "no JSON value";
}
