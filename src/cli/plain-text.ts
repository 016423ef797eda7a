/**
 * Remote text on a terminal: what could move the cursor, change colours, set the window's title or turn the reading
 * direction is shown as an escape instead of acted on.
 */
const ACTIVE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text of several lines: line feeds and tabs stay. */
export function plainText(remote: string): string {
  return remote.replace(/\r\n/g, "\n").replace(ACTIVE, escaped);
}

/** A name or an id: no line feeds either. */
export function plainWord(remote: string): string {
  return remote.replace(ACTIVE, escaped).replace(/[\n\t]/g, escaped);
}

/** JSON that is still JSON: what JSON.stringify leaves active is written as \u escapes. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    ACTIVE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const code = character.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
}
