/** The token of the operations port: callers give it in a header, which has no room for everything. */
import { z } from "zod";
import { filledText, mapping, text } from "./fields.ts";

const TOKEN = /^[\x21-\x7e]+$/;

/** Does not say what is there instead: it may be secret all the same. */
export const NO_TOKEN = "a token is one line of visible ASCII characters, without spaces";

/** Whether callers can give that text as a bearer token. */
export function isToken(value: string): boolean {
  return TOKEN.test(value);
}

/** The token, or the file that holds it. */
export const token = z.union(
  [
    text.check(z.refine((value) => isToken(value), { error: NO_TOKEN })),
    mapping({ file: filledText }),
  ],
  { error: "expected text, or a mapping with file" },
);
