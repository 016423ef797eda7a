/** What a request's URL says before any door looks at it. */

/** The path and the query of a request target; repeated slashes count as one, an absolute form loses its origin. */
export function normalized(target: string): string {
  const local = target.startsWith("/")
    ? target
    : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  const path = (mark < 0 ? local : local.slice(0, mark)).replace(/\/{2,}/g, "/");
  const rooted = path.startsWith("/") ? path : `/${path}`;
  return mark < 0 ? rooted : rooted + local.slice(mark);
}

export function pathOf(url: string): string {
  const mark = url.indexOf("?");
  return mark < 0 ? url : url.slice(0, mark);
}

/** The query, without its question mark. */
export function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}

/** Percent-decoded; undefined when the encoding is broken. */
export function decodedOf(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
