/**
 * Standard base64 with padding, from base64 or base64url, with padding or without (ProtoJSON takes all four);
 * undefined for what is neither.
 */
export function normalBase64(text: string): string | undefined {
  const match = /^[A-Za-z0-9+/_-]*(={0,2})$/.exec(text);
  if (match === null) return undefined;
  const padding = match[1]?.length ?? 0;
  const digits = text.length - padding;
  const tail = digits % 4;
  if (tail === 1 || (padding > 0 && tail + padding !== 4)) return undefined;
  const standard = /[_-]/.test(text) ? text.replace(/-/g, "+").replace(/_/g, "/") : text;
  if (tail === 0) return standard;
  // The last group is written anew: with padding, and without bits that belong to no byte.
  const last = Buffer.from(standard.slice(digits - tail, digits), "base64").toString("base64");
  return standard.slice(0, digits - tail) + last;
}
