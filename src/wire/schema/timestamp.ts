import { isCanonicalTime, timeOf } from "./time-text.ts";
import { DELIMITED, type ValueType } from "./value-type.ts";
import { quoted, type Violations } from "./violations.ts";

const SECONDS = (1 << 3) | 0;
const NANOS = (2 << 3) | 0;

/** google.protobuf.Timestamp; in the model, text in UTC with milliseconds (spec 5.6.1). */
export const timestampType: ValueType<string> = {
  wireType: DELIMITED,
  zero: undefined,
  mustDiffer: false,
  takesNull: false,
  fromJson(json, violations) {
    if (typeof json === "string") {
      if (isCanonicalTime(json)) return json;
      const text = timeOf(json);
      if (text !== undefined) return text;
    }
    return refused(json, violations);
  },
  fromText(text, violations) {
    // A plus that the client did not encode arrives as a space.
    return timeOf(text.replace(/ (?=\d\d:\d\d$)/, "+")) ?? refused(text, violations);
  },
  write(value, writer) {
    const time = Date.parse(value);
    if (Number.isNaN(time)) throw new Error(`${quoted(value)} is no time`);
    const seconds = Math.floor(time / 1000);
    const start = writer.begin();
    if (seconds !== 0) {
      writer.uint32(SECONDS);
      writer.int64(seconds);
    }
    const nanos = (time - seconds * 1000) * 1e6;
    if (nanos !== 0) {
      writer.uint32(NANOS);
      writer.int64(nanos);
    }
    writer.end(start);
  },
  read(reader, violations) {
    let seconds = 0;
    let nanos = 0;
    const outer = reader.enter();
    while (!reader.done) {
      const tag = reader.uint32();
      if (tag === SECONDS) seconds = reader.int64();
      else if (tag === NANOS) nanos = reader.int32();
      else reader.skip(tag & 7);
    }
    reader.leave(outer);
    const text = timeAt(seconds, nanos);
    if (text === undefined) violations.add("must be a time between the years 1 and 9999");
    return text;
  },
};

function refused(value: unknown, violations: Violations): undefined {
  violations.add(`must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z, not ${quoted(value)}`);
}

function timeAt(seconds: number, nanos: number): string | undefined {
  if (nanos < 0 || nanos >= 1e9) return undefined;
  const date = new Date(seconds * 1000 + Math.floor(nanos / 1e6));
  if (Number.isNaN(date.getTime())) return undefined;
  const text = date.toISOString();
  return isCanonicalTime(text) ? text : undefined;
}
