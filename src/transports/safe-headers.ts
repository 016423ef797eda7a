/** What every HTTP answer says, whatever is in it. */

/**
 * Flat pairs. No browser is to take an answer for anything else than it says, to run or load or frame what is in it, or to
 * tell others where it was: all of them are data, none is a page.
 */
export const SAFE_HEADERS: readonly string[] = [
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "no-referrer",
  "Content-Security-Policy",
  "default-src 'none'; frame-ancestors 'none'",
];

/** As `setHeader` takes them, one after another. */
export const SAFE_PAIRS: readonly (readonly [name: string, value: string])[] =
  pairsOf(SAFE_HEADERS);

function pairsOf([name, value, ...more]: readonly string[]): readonly (readonly [
  string,
  string,
])[] {
  return name === undefined || value === undefined ? [] : [[name, value], ...pairsOf(more)];
}
