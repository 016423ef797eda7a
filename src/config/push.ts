/** How webhooks are told what happened. */
import { z } from "zod";
import { filledText, flag, group, listOf, secret, text } from "./fields.ts";
import { signingKey } from "./signing-keys.ts";
import { hostName, network } from "./addresses.ts";
import { count, duration, positiveDuration } from "./units.ts";

/** `10.0.0.0/8`, `hooks.example.com` or `*.example.com`. */
const openTarget = text.check(
  z.refine((value) => isNetwork(value) || hostName.safeParse(value.replace(/^\*\./, "")).success, {
    error: "expected an address, a network such as 10.0.0.0/8, or a host such as *.example.com",
  }),
);

function isNetwork(value: string): boolean {
  return network.safeParse(value).success;
}

export const push = group({
  allowHttp: flag.prefault(false),
  allowPrivate: flag.prefault(false),
  allow: listOf(openTarget).prefault([]),
  attempts: count(1, 100).prefault(8),
  backoff: group({
    first: positiveDuration.prefault("1s"),
    most: positiveDuration.prefault("5m"),
    retryAfter: duration.prefault("1h"),
  }),
  timeout: positiveDuration.prefault("10s"),
  concurrency: count(1, 10_000).prefault(64),
  configsPerTask: count(1, 1000).prefault(100),
  ca: filledText.exactOptional(),
  signing: signingKey.exactOptional(),
  encryptionKeys: listOf(secret).prefault([]),
});
