/** How parts of a card stand in columns. */

/** JSON text; null for what is absent. */
export function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** SQLite has no booleans; absent is false. */
export function flagOf(flag: boolean | undefined): number {
  return flag === true ? 1 : 0;
}
