/** Two accounts of the same parts, of which one may be further on than the other. */
import { isDeepStrictEqual } from "node:util";
import type { Part } from "../../protocol/model.ts";

export type Difference =
  /** What is told goes on after what is known, with these; none: they are the same. */
  | { readonly kind: "more"; readonly parts: readonly Part[] }
  /** What is known goes on after what is told, with these. */
  | { readonly kind: "less"; readonly parts: readonly Part[] }
  | { readonly kind: "other" };

/** Chunks of text are one text: agents join them in their snapshots, or do not. */
export function differenceOf(known: readonly Part[], told: readonly Part[]): Difference {
  const before = joined(known);
  const after = joined(told);
  const more = restOf(before, after);
  if (more !== undefined) return { kind: "more", parts: more };
  const less = restOf(after, before);
  return less === undefined ? { kind: "other" } : { kind: "less", parts: less };
}

/** What the second list has after the first; undefined where it does not begin with it. */
function restOf(start: readonly Part[], whole: readonly Part[]): readonly Part[] | undefined {
  const last = start.length - 1;
  if (last < 0) return whole;
  if (whole.length <= last) return undefined;
  for (let index = 0; index < last; index++)
    if (!isDeepStrictEqual(start[index], whole[index])) return undefined;
  const [ends, goesOn] = [start[last], whole[last]];
  const rest = whole.slice(last + 1);
  if (isDeepStrictEqual(ends, goesOn)) return rest;
  if (!ends || !goesOn || !isSameKindOfText(ends, goesOn)) return undefined;
  const [short = "", long = ""] = [ends.text, goesOn.text];
  return long.startsWith(short)
    ? [{ ...goesOn, text: long.slice(short.length) }, ...rest]
    : undefined;
}

function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const before = all.at(-1);
    if (before && isSameKindOfText(before, part))
      all[all.length - 1] = { ...before, text: `${before.text ?? ""}${part.text ?? ""}` };
    else all.push(part);
  }
  return all;
}

function isSameKindOfText(one: Part, other: Part): boolean {
  if (one.text === undefined || other.text === undefined) return false;
  return (
    one.mediaType === other.mediaType &&
    one.filename === other.filename &&
    isDeepStrictEqual(one.metadata, other.metadata)
  );
}
