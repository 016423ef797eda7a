/**
 * The digits of a request's id as the caller wrote them. JSON.parse rounds integers past 2^53, and an answer under a
 * rounded id finds no caller.
 */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gy;

/** @param text a valid JSON object whose member `id` is a number; of repeated members the last one counts. */
export function idTextOf(text: string): string {
  let found = "null";
  let depth = 0;
  let key = "";
  let previous = "";
  for (const token of tokensOf(text)) {
    if (depth === 1 && previous === ":" && key === "id") found = token;
    if (depth === 1 && token === ":") key = String(JSON.parse(previous));
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    previous = token;
  }
  return found;
}

function* tokensOf(text: string): Iterable<string> {
  const pattern = new RegExp(TOKEN);
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    while (/\s/.test(text[at] ?? "x")) at++;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return;
    yield match[0];
  }
}
