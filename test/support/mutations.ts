/** What happens to a request that was valid before: changes of its JSON, and of its bytes. */
import fc, { type Arbitrary } from "fast-check";
import type { JsonValue } from "../../src/protocol/json.ts";
import type { SendMessageRequest } from "../../src/protocol/model.ts";
import { jsonValue } from "../wire/arbitraries.ts";

/** At a place somewhere in a value, it is replaced, dropped, doubled, wrapped or renamed. */
export interface Mutation {
  readonly place: number;
  readonly kind: "replace" | "drop" | "double" | "wrap" | "rename";
  readonly value: JsonValue;
  readonly name: string;
}

const odd = fc.oneof(
  jsonValue,
  fc.constantFrom<JsonValue>(
    null,
    "",
    -1,
    0,
    1e308,
    2 ** 53,
    "\u0000",
    "\ud800",
    [],
    {},
    [[]],
    true,
  ),
  fc.constantFrom<JsonValue>(
    "TASK_STATE_NONE",
    "ROLE_USER",
    "application/json",
    "../x",
    "a".repeat(300),
  ),
);

export const mutation: Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom("replace", "drop", "double", "wrap", "rename"),
  value: odd,
  name: fc.constantFrom(
    "__proto__",
    "constructor",
    "tenant",
    "task_id",
    "x",
    "",
    "message",
    "data",
  ),
});

export function mutate(value: JsonValue, mutation: Mutation): JsonValue {
  const places = placesIn(value);
  return changed(value, places[mutation.place % places.length] ?? [], mutation);
}

type Path = readonly (string | number)[];

function placesIn(value: JsonValue, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    placesIn(one as JsonValue, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...inner];
}

function changed(value: JsonValue, [key, ...rest]: Path, mutation: Mutation): JsonValue {
  if (key === undefined) return mutation.kind === "wrap" ? [value] : mutation.value;
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    return list.flatMap((one, index) => {
      if (index !== key) return [one];
      if (rest.length > 0) return [changed(one, rest, mutation)];
      if (mutation.kind === "drop") return [];
      return mutation.kind === "double" ? [one, one] : [changed(one, [], mutation)];
    });
  }
  const entries = Object.entries(value as Record<string, JsonValue>).flatMap(([name, one]) => {
    if (name !== key) return [[name, one]];
    if (rest.length > 0) return [[name, changed(one, rest, mutation)]];
    if (mutation.kind === "drop") return [];
    return [[mutation.kind === "rename" ? mutation.name : name, changed(one, [], mutation)]];
  });
  return Object.fromEntries(entries) as JsonValue;
}

/** What happens to bytes: at a place, one is set, put in or cut out. */
export interface Damage {
  readonly place: number;
  readonly byte: number;
  readonly kind: "set" | "insert" | "cut";
}

export const damage: Arbitrary<Damage> = fc.record({
  place: fc.nat(),
  byte: fc.integer({ min: 0, max: 255 }),
  kind: fc.constantFrom("set", "insert", "cut"),
});

export function damaged(bytes: Uint8Array, damages: readonly Damage[]): Buffer {
  let result = Buffer.from(bytes);
  for (const { place, byte, kind } of damages) {
    const at = result.length === 0 ? 0 : place % result.length;
    const [head, tail] = [result.subarray(0, at), result.subarray(at)];
    result = Buffer.concat([
      head,
      kind === "cut" ? Buffer.alloc(0) : Buffer.from([byte]),
      kind === "insert" ? tail : tail.subarray(1),
    ]);
  }
  return result;
}

/** A request that opens a task and waits: otherwise nearly every one would end at a task that is not there. */
export function withoutTask({ message, metadata }: SendMessageRequest): SendMessageRequest {
  const { taskId: _, ...rest } = message;
  return { message: rest, ...(metadata && { metadata }) };
}
