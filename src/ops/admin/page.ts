/** Answers in pages: their size, and the tokens that say where the next one begins. */
import { invalid } from "./failure.ts";
import { integerParameter, textParameter } from "./parameter.ts";

export const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

export const pageSizeParameter = integerParameter("how many at most", {
  min: 1,
  max: MAX_PAGE_SIZE,
  preset: PAGE_SIZE,
});

export const pageTokenParameter = textParameter("the nextPageToken of the answer before");

export interface Page<T> {
  readonly items: readonly T[];
  /** Whether there are more after the last one. */
  readonly hasMore: boolean;
}

/** A page of what was asked for with one more than its size. */
export function pageOf<T>(found: readonly T[], size: number): Page<T> {
  return { items: found.slice(0, size), hasMore: found.length > size };
}

/** Where the next page begins, as its caller sends it back; texts and whole numbers. */
export function tokenOf(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** The position in a token, of which each part has the type asked for. Throws INVALID_PARAMS for one that we did not make. */
export function positionIn(
  token: string,
  types: readonly ("string" | "number")[],
): readonly (string | number)[] {
  const position = parsed(Buffer.from(token, "base64url").toString());
  if (!Array.isArray(position) || position.length !== types.length) throw foreign();
  return position.map((part: unknown, index) => {
    if (typeof part === "string" && types[index] === "string") return part;
    if (typeof part === "number" && types[index] === "number" && Number.isSafeInteger(part))
      return part;
    throw foreign();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw foreign();
  }
}

function foreign(): Error {
  return invalid([{ path: "pageToken", what: "is no token of an earlier answer" }]);
}
