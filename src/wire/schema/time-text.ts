const CANONICAL = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;

/** Whether a text is a time that exists, in UTC with milliseconds. */
export function isCanonicalTime(text: string): boolean {
  if (!CANONICAL.test(text)) return false;
  const time = Date.parse(text);
  // Date.parse takes the 30th of February for the 2nd of March.
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}

/** A time of RFC 3339 in UTC with milliseconds; undefined for anything else. Finer digits are cut off. */
export function timeOf(text: string): string | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, date, clock, fraction = "", zone = "Z"] = match;
  const local = `${date}T${clock}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
  const offset = offsetOf(zone);
  if (!isCanonicalTime(local) || offset === undefined) return undefined;
  const utc = new Date(Date.parse(local) - offset).toISOString();
  return isCanonicalTime(utc) ? utc : undefined;
}

function offsetOf(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
