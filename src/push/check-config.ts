/** What a webhook may look like: the same checks wherever one is registered. */
import type { FieldViolation } from "../protocol/errors.ts";
import type { TaskPushNotificationConfig } from "../protocol/model.ts";
import type { AddressGuard } from "./address-guard.ts";

/** Characters. Receivers take headers of 8 KiB and more. */
const LONGEST = { id: 256, url: 2048, token: 2048, scheme: 64, credentials: 4096 } as const;

/** A name of an authentication scheme (RFC 9110, 5.6.2 and 11.1). */
const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What every receiver reads from a header as it was sent (RFC 9110, 5.5). */
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const UNWRITABLE = /[\p{Cc}\p{Cs}]/u;

/**
 * Everything that is wrong with a config, with paths inside it; empty when it can be told something. What is empty
 * counts as absent, as it does in the protobuf.
 */
export function checkConfig(
  { id, url, token, authentication }: TaskPushNotificationConfig,
  guard: Pick<AddressGuard, "refusalOf">,
): FieldViolation[] {
  const { scheme = "", credentials = "" } = authentication ?? {};
  const problems: readonly (readonly [string, string | undefined])[] = [
    ["id", problemOfId(id ?? "")],
    ["url", tooLong(url, LONGEST.url) ?? guard.refusalOf(url)],
    ["token", tooLong(token ?? "", LONGEST.token) ?? problemOfText(token ?? "")],
    ["authentication.scheme", problemOfScheme(scheme, credentials)],
    [
      "authentication.credentials",
      tooLong(credentials, LONGEST.credentials) ?? problemOfText(credentials),
    ],
  ];
  return problems.flatMap(([field, description]) =>
    description === undefined ? [] : [{ field, description }],
  );
}

function problemOfId(id: string): string | undefined {
  if (UNWRITABLE.test(id)) return "must not contain control characters";
  // As a segment of a path they are taken out of it, however they are written (WHATWG URL, 4.4).
  if (id === "." || id === "..") return "must not be a dot or two";
  return tooLong(id, LONGEST.id);
}

function problemOfScheme(scheme: string, credentials: string): string | undefined {
  if (scheme === "")
    return credentials === "" ? undefined : "must name the scheme of the credentials";
  if (!SCHEME.test(scheme)) return "must be the name of an authentication scheme";
  return tooLong(scheme, LONGEST.scheme);
}

function problemOfText(text: string): string | undefined {
  return text === "" || HEADER_TEXT.test(text)
    ? undefined
    : "must be printable ASCII without blanks at its ends, to be sent in a header";
}

function tooLong(text: string, longest: number): string | undefined {
  return text.length > longest ? `must have at most ${longest} characters` : undefined;
}
