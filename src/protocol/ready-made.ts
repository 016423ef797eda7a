/**
 * Objects of the model that are already written as JSON, as the store and the event log hold them. They pass through
 * the 1.0 codecs without being parsed: their text is spliced into the answer, their protobuf form is made once and kept.
 *
 * A ready-made object is cut into fragments: runs of whole members, without the braces. The encoding of the whole is
 * the concatenation of the encodings of its fragments, in JSON (joined by commas) and in protobuf alike, so that a
 * member can be left out by leaving out its fragment.
 */
const brand = Symbol.for("a2a-gateway.ready-made");

/** `members` is JSON text such as `"id":"x","contextId":"y"`; `bytes` is kept for the protobuf form once it was made. */
export interface Fragment extends KeepsForms {
  readonly members: string;
  bytes?: Uint8Array;
}

/** Where the codecs of another version keep what they have made of a text; what that is, is theirs to know. */
export interface KeepsForms {
  older?: unknown;
}

export interface ReadyMade<T> extends KeepsForms {
  readonly [brand]: readonly Fragment[];
  /** Kept for the protobuf form of the whole once it was made. */
  bytes?: Uint8Array;
  /** Never there at run time: keeps the type of the object that the text spells. */
  readonly type?: T;
}

export function readyMade<T>(fragments: readonly Fragment[]): ReadyMade<T> {
  return { [brand]: fragments };
}

export function isReadyMade<T>(value: T | ReadyMade<T>): value is ReadyMade<T> {
  return typeof value === "object" && value !== null && brand in value;
}

export function fragmentsOf(ready: ReadyMade<unknown>): readonly Fragment[] {
  return ready[brand];
}

/** The JSON text of a ready-made object. A fragment with empty members is one that is not there. */
export function jsonTextOf(ready: ReadyMade<unknown>): string {
  let text = "";
  for (const { members } of ready[brand]) {
    if (members === "") continue;
    text += text === "" ? `{${members}` : `,${members}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

/** The object itself: parsed when it is ready-made. */
export function modelOf<T>(value: T | ReadyMade<T>): T {
  return isReadyMade(value) ? (JSON.parse(jsonTextOf(value)) as T) : value;
}

/** JSON text on its way out of a codec: transports write it as it is, and stringify everything else. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON text of whatever a codec encoded. */
export function textOf(wire: unknown): string {
  return wire instanceof JsonText ? wire.text : JSON.stringify(wire);
}
