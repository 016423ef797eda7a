/** Checks on mappings where only some combinations of keys make sense. */
import { z } from "zod";

/** Exactly one of the keys is there. Also looked at when other keys are wrong, so that all faults show at once. */
export function exactlyOne(keys: readonly string[]) {
  return counted(keys, `expected exactly one of ${keys.join(", ")}`, (count) => count === 1);
}

export function atLeastOne(keys: readonly string[]) {
  return counted(keys, `expected at least one of ${keys.join(", ")}`, (count) => count >= 1);
}

/** Keys of exactly one group are there; of that group, several may be. */
export function exactlyOneGroup(groups: readonly (readonly string[])[]) {
  const names = groups.map((keys) => keys.join(", ")).join(", or ");
  return refined(`expected either ${names}`, (value) => {
    const used = groups.filter((keys) => keys.some((key) => key in value));
    return used.length === 1;
  });
}

/** A key that says something only where another one is. */
export function onlyBeside(key: string, other: string) {
  return z.refine<object>((value) => !(key in value) || other in value, {
    path: [key],
    error: `expected only beside ${other}`,
    when: isMapping,
  });
}

/** A text that is left out only where another key is there. */
export function textUnless(key: string, other: string) {
  return z.refine<object>((value) => key in value || other in value, {
    path: [key],
    error: "expected text",
    when: isMapping,
  });
}

function counted(keys: readonly string[], error: string, holds: (count: number) => boolean) {
  return refined(error, (value) => holds(keys.filter((key) => key in value).length));
}

function refined(error: string, holds: (value: object) => boolean) {
  return z.refine<object>(holds, { error, when: isMapping });
}

/** Such a check is also made when the mapping has other faults. */
function isMapping({ value }: { readonly value: unknown }): boolean {
  return typeof value === "object" && value !== null;
}
