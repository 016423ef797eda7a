/** Requests of the JSON doors: valid ones, to which something has happened. */
import fc, { type Arbitrary } from "fast-check";
import type { JsonValue } from "../../src/protocol/json.ts";
import { mutate, mutation, type Mutation } from "../../test/support/mutations.ts";
import type { HttpRequest } from "./http-shots.ts";
import type { Intent } from "./intents.ts";
import { restCallOf, rpcCallOf } from "./spelling.ts";
import { twist, type Twist } from "./texts.ts";
import type { Version } from "./world.ts";

const HEADERS = { "Content-Type": "application/json" };

/** Mutations of the value, then perhaps one of its text. */
interface Change {
  readonly mutations: readonly Mutation[];
  readonly twist: Twist | undefined;
}

const change: Arbitrary<Change> = fc.record({
  mutations: fc.array(mutation, { maxLength: 3 }),
  twist: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: twist },
  ),
});

export function rpcRequests(version: Version, intents: Arbitrary<Intent>): Arbitrary<HttpRequest> {
  const path = fc.oneof(
    { weight: 9, arbitrary: fc.constant("/") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("/a2a/echo", "/a2a/other/", "/a2a/none", "/?a2a-version=1.0"),
    },
  );
  return fc.tuple(intents, change, path).map(([intent, change, target]) => {
    const { method, params } = rpcCallOf(version, intent);
    const envelope: JsonValue = { jsonrpc: "2.0", id: 1, method, params };
    return { method: "POST", target, headers: HEADERS, body: bodyOf(envelope, change) };
  });
}

/** Mutations are those of the body; a target without one has its text changed. */
export function restRequests(version: Version, intents: Arbitrary<Intent>): Arbitrary<HttpRequest> {
  return fc.tuple(intents, change).map(([intent, change]) => {
    const { method, target, body } = restCallOf(version, intent);
    if (body !== undefined) return { method, target, headers: HEADERS, body: bodyOf(body, change) };
    const changed = change.mutations.reduce(targetAfter, target);
    return { method, target: changed, headers: {}, body: undefined };
  });
}

function bodyOf(body: JsonValue, { mutations, twist }: Change): Buffer {
  const text = JSON.stringify(mutations.reduce(mutate, body));
  return twist === undefined ? Buffer.from(text) : twist(text);
}

/** A segment or a parameter is replaced, dropped, doubled or followed by another. */
function targetAfter(target: string, { place, kind, value, name }: Mutation): string {
  const pieces = target.split(/(?<=[/?&=:])/);
  const at = place % pieces.length;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // Half a character cannot be encoded.
  const odd = encodeURIComponent(Buffer.from(text.slice(0, 200)).toString());
  const piece = pieces[at] ?? "";
  const changed = {
    replace: odd,
    drop: "",
    double: piece + piece,
    wrap: `${piece}/${odd}`,
    rename: `${piece}${target.includes("?") ? "&" : "?"}${encodeURIComponent(name)}=${odd}`,
  }[kind];
  return pieces.with(at, changed).join("") || "/";
}
