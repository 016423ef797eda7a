import { DELIMITED, type ValueType } from "./value-type.ts";
import { quoted } from "./violations.ts";

const SECONDS = (1 << 3) | 0;
const NANOS = (2 << 3) | 0;
const TEXT = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;

/** google.protobuf.Duration; in the model, seconds as text, such as `1.5s`. */
export const durationType: ValueType<string> = {
  wireType: DELIMITED,
  zero: undefined,
  mustDiffer: false,
  takesNull: false,
  fromJson(json, violations) {
    if (typeof json === "string" && TEXT.test(json)) return json;
    violations.add(`must be a duration such as 1.5s, not ${quoted(json)}`);
    return undefined;
  },
  write(value, writer) {
    const match = TEXT.exec(value);
    if (match === null) throw new Error(`${quoted(value)} is no duration`);
    const [, minus, seconds, fraction = ""] = match;
    const sign = minus === "-" ? -1 : 1;
    const start = writer.begin();
    writer.uint32(SECONDS);
    writer.int64(sign * Number(seconds));
    writer.uint32(NANOS);
    writer.int64(sign * Number(fraction.padEnd(9, "0")));
    writer.end(start);
  },
  read(reader) {
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
    const minus = seconds < 0 || nanos < 0 ? "-" : "";
    const fraction = String(Math.abs(nanos)).padStart(9, "0").replace(/0+$/, "");
    return `${minus}${Math.abs(seconds)}${fraction === "" ? "" : `.${fraction}`}s`;
  },
};
