const LONGEST = 4096;

/**
 * A text that travels in a header, as the message of a gRPC status does: those are limited in size, and
 * percent-encoding fails on half a character.
 */
export function headerText(message: string): string {
  const short =
    message.length > LONGEST
      ? `${message.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}...`
      : message;
  return Buffer.from(short, "utf8").toString("utf8");
}
