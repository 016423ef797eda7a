import { z } from "zod";
import type { UpstreamConfig } from "../../handlers/upstream/config.ts";
import {
  filledText,
  headerName,
  jsonObject,
  listOf,
  mapping,
  oneOf,
  secret,
  text,
} from "../fields.ts";
import { exactlyOne, onlyBeside } from "../one-of.ts";
import { calledUrl } from "../addresses.ts";
import { count, duration, positiveDuration, size } from "../units.ts";
import { written } from "../written.ts";

const headerValue = text.regex(/^[\x20-\x7e]*$/, {
  error: "expected one line of printable ASCII characters",
});

const username = filledText.regex(/^[^:]*$/, { error: "expected a name without a colon" });

const oauth2 = mapping({
  tokenUrl: calledUrl,
  clientId: filledText,
  clientSecret: secret,
  scopes: listOf(filledText).exactOptional(),
  audience: filledText.exactOptional(),
});

const auth = mapping({
  bearer: secret.exactOptional(),
  basic: mapping({ username, password: secret }).exactOptional(),
  apiKey: mapping({ name: headerName, value: secret }).exactOptional(),
  oauth2: oauth2.exactOptional(),
}).check(exactlyOne(["bearer", "basic", "apiKey", "oauth2"]));

const tls = mapping({
  ca: filledText.exactOptional(),
  cert: filledText.exactOptional(),
  key: filledText.exactOptional(),
}).check(onlyBeside("cert", "key"), onlyBeside("key", "cert"));

/** A duration, or `off` as 0. */
const durationOrOff = written("a duration such as 30s, or off", (text) =>
  text === "off" ? 0 : duration.safeParse(text).data,
);

interface Signed {
  readonly card?: unknown;
  readonly cardSignatures?: "off" | "warn" | "require";
  readonly trustedKeys?: unknown;
  readonly trustedKeyUrls?: unknown;
}

/** Without keys, no signature is valid. */
const hasKeys = z.refine<Signed>(
  ({ cardSignatures = "off", trustedKeys, trustedKeyUrls }) =>
    cardSignatures === "off" || trustedKeys !== undefined || trustedKeyUrls !== undefined,
  { path: ["cardSignatures"], error: "expected trustedKeys or trustedKeyUrls beside it" },
);

/** Whoever configures a card trusts it. */
const isFetched = z.refine<Signed>(
  ({ card, cardSignatures = "off" }) => cardSignatures === "off" || card === undefined,
  { path: ["cardSignatures"], error: "expected only beside url or urls" },
);

const full = mapping({
  url: calledUrl.exactOptional(),
  urls: listOf(calledUrl).min(1, { error: "expected at least one URL" }).exactOptional(),
  card: z.union([filledText, jsonObject], { error: "expected a path, or a card" }).exactOptional(),
  version: oneOf(["1.0", "0.3"]).exactOptional(),
  binding: oneOf(["JSONRPC", "HTTP+JSON", "GRPC"]).exactOptional(),
  headers: z.record(headerName, headerValue, { error: "expected a mapping" }).exactOptional(),
  auth: auth.exactOptional(),
  tls: tls.exactOptional(),
  connectTimeout: positiveDuration.exactOptional(),
  headTimeout: duration.exactOptional(),
  idleTimeout: duration.exactOptional(),
  callTimeout: duration.exactOptional(),
  maxAnswer: size.exactOptional(),
  maxEvent: size.exactOptional(),
  maxEvents: count(1).exactOptional(),
  connections: count(1).exactOptional(),
  retries: mapping({
    attempts: count(1, 100).exactOptional(),
    backoff: positiveDuration.exactOptional(),
    maxBackoff: positiveDuration.exactOptional(),
  }).exactOptional(),
  breaker: mapping({
    failures: count(1).exactOptional(),
    cooldown: positiveDuration.exactOptional(),
  }).exactOptional(),
  health: mapping({ interval: durationOrOff.exactOptional() }).exactOptional(),
  poll: mapping({
    interval: positiveDuration.exactOptional(),
    max: positiveDuration.exactOptional(),
  }).exactOptional(),
  cardRefresh: duration.exactOptional(),
  cardSignatures: oneOf(["off", "warn", "require"]).exactOptional(),
  trustedKeys: z
    .union([filledText, listOf(jsonObject).min(1, { error: "expected at least one key" })], {
      error: "expected the path of a JSON Web Key Set, or a list of keys",
    })
    .exactOptional(),
  trustedKeyUrls: listOf(calledUrl).min(1, { error: "expected at least one URL" }).exactOptional(),
}).check(
  exactlyOne(["url", "urls", "card"]),
  onlyBeside("trustedKeys", "cardSignatures"),
  onlyBeside("trustedKeyUrls", "cardSignatures"),
  hasKeys,
  isFetched,
);

export const upstreamSchema = z
  .union([calledUrl, full], {
    error: "expected an http or https URL, or a mapping with url, urls or card",
  })
  .transform((value): UpstreamConfig =>
    typeof value === "string" ? { kind: "upstream", url: value } : { kind: "upstream", ...value },
  );
