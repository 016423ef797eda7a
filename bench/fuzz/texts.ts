/** JSON texts that are odd as texts: what no parsed value can say, or no serializer would write. */
import fc, { type Arbitrary } from "fast-check";
import { damage, damaged } from "../../test/support/mutations.ts";

/** Takes the text of a JSON object to other bytes. */
export type Twist = (text: string) => Buffer;

const VALUES = [
  "-0",
  "1e999",
  "-1e-400",
  "1".repeat(400),
  "9007199254740993",
  "01",
  "0x10",
  ".5",
  "NaN",
  "-Infinity",
  "undefined",
  "'a'",
  "/* */1",
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\x41"',
  '"\u0001"',
  '"\xff\xfe"',
  '"\xc0\x80"',
  '"\xed\xa0\x80"',
  "[1,]",
  "[".repeat(5_000),
  "[".repeat(5_000) + "]".repeat(5_000),
  '{"a":'.repeat(5_000) + "1" + "}".repeat(5_000),
  `"${"a".repeat(70_000)}"`,
];

const MEMBERS = ['"id":', '"message":', '"__proto__":', '"jsonrpc":', '"params":', '"":'];

const AROUND: readonly ((text: string) => string)[] = [
  (text) => `\xef\xbb\xbf${text}`,
  (text) => `[${text}]`,
  (text) => `[${text},${text}]`,
  (text) => `${text}${text}`,
  (text) => `${text}\n\n `,
  (text) => `\0${text}`,
  (text) => ` \t\r\n${text}`,
  (text) => `)]}'\n${text}`,
  (text) => text.slice(0, -1),
  (text) => text.slice(0, text.length / 2),
  (text) => Buffer.from(text, "utf16le").toString("latin1"),
  () => "",
  () => "null",
  () => "[]",
  () => "0",
  () => "\xff",
];

/** A value in the text: a string, a number or a word. */
const VALUE = /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null/g;

export const twist: Arbitrary<Twist> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.nat(), fc.constantFrom(...VALUES)).map(replacing) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...MEMBERS), fc.nat()).map(repeating) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...AROUND).map(
      (around): Twist =>
        (text) =>
          bytesOf(around(latin1(text))),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.array(damage, { minLength: 1, maxLength: 4 }).map(
      (damages): Twist =>
        (text) =>
          damaged(Buffer.from(text), damages),
    ),
  },
);

function replacing([place, value]: readonly [number, string]): Twist {
  return (text) => {
    const found = [...latin1(text).matchAll(VALUE)];
    const match = found[place % Math.max(1, found.length)];
    if (match === undefined) return bytesOf(value);
    const before = latin1(text).slice(0, match.index);
    return bytesOf(before + value + latin1(text).slice(match.index + match[0].length));
  };
}

/** One more member of the same name, before or after the first. */
function repeating([member, place]: readonly [string, number]): Twist {
  const value = VALUES[place % VALUES.length] ?? "1";
  return (text) =>
    bytesOf(
      place % 2 === 0
        ? latin1(text).replace("{", `{${member}${value},`)
        : latin1(text).replace(/\}$/, `,${member}${value}}`),
    );
}

/** One character for each byte of UTF-8, so that bytes that are none can stand among them. */
function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
