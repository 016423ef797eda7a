/** What is kept of whose tasks. */

/** Owners that begin so are counted together: each call without credentials may be one of its own (`ownerOf`). */
export const COUNTED_TOGETHER = "/anonymous/";

/** Under which name an owner is counted. */
export function countedAs(owner: string): string {
  return owner.startsWith(COUNTED_TOGETHER) ? COUNTED_TOGETHER : owner;
}

export interface Usage {
  /**
   * The number of tasks of an owner, by the name of `countedAs`, and the bytes of their texts and logs, with every commit
   * that has resolved.
   */
  of(owner: string): { readonly tasks: number; readonly bytes: number };
}
