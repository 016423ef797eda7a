/** How somebody is told that they are not let in, and what would let them in (spec 7.4; RFC 9110, 11.6.1). */
import { A2AError } from "../protocol/errors.ts";

/** What protects all that the gateway serves. */
const REALM = "a2a-gateway";

export interface Challenge {
  readonly scheme: "ApiKey" | "Basic" | "Bearer" | "ClientCertificate";
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Credentials that are there and not good. The message is shown to the caller, the cause only to the log. */
export class BadCredentials extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "BadCredentials";
  }
}

/** UNAUTHENTICATED for a caller that came without credentials: no challenge names an error (RFC 6750, 3.1). */
export function needed(challenges: readonly Challenge[]): A2AError {
  const texts = textsOf(challenges);
  return new A2AError("UNAUTHENTICATED", "credentials are needed", { challenges: texts });
}

/** UNAUTHENTICATED for credentials that are not good; those of the scheme `refused` are told why (RFC 6750, 3). */
export function refused(
  bad: BadCredentials,
  challenges: readonly Challenge[],
  scheme: string,
): A2AError {
  const told = challenges.map((each) =>
    each.scheme === "Bearer" && scheme === "Bearer" ? withError(each, bad.message) : each,
  );
  const details = { challenges: textsOf(told), cause: bad };
  return new A2AError("UNAUTHENTICATED", bad.message, details);
}

function withError(challenge: Challenge, description: string): Challenge {
  const error = { error: "invalid_token", error_description: description };
  return { scheme: challenge.scheme, parameters: { ...challenge.parameters, ...error } };
}

/** Several authenticators of one scheme make one challenge. */
function textsOf(challenges: readonly Challenge[]): readonly string[] {
  return [...new Set(challenges.map(textOf))];
}

function textOf({ scheme, parameters }: Challenge): string {
  const all = Object.entries({ realm: REALM, ...parameters });
  return `${scheme} ${all.map(([name, value]) => `${name}=${quoted(value)}`).join(", ")}`;
}

/** What a quoted string cannot hold, and RFC 6750 keeps out of descriptions, becomes a question mark. */
function quoted(value: string): string {
  return `"${value.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "?")}"`;
}
