/** Who is let in, and what they may do. */
import { z } from "zod";
import { ALGORITHMS } from "../access/jwt/algorithms.ts";
import { filledText, headerName, listOf, mapping, oneOf, secret, text } from "./fields.ts";
import { exactlyOne } from "./one-of.ts";
import { fittingPolicies, policies } from "./policies.ts";
import { hostName, webUrl } from "./addresses.ts";
import { duration } from "./units.ts";

const names = listOf(filledText);

const principalMembers = {
  tenant: filledText.exactOptional(),
  scopes: names.exactOptional(),
};

const principal = mapping({ id: filledText, ...principalMembers });

const apiKey = mapping({
  in: oneOf(["header", "query", "cookie"]),
  name: filledText,
  keys: listOf(
    mapping({
      principal,
      hash: text
        .regex(/^[\da-f]{64}$/i, { error: "expected 64 hexadecimal digits" })
        .exactOptional(),
      file: filledText.exactOptional(),
    }).check(exactlyOne(["hash", "file"])),
  ).exactOptional(),
}).check(
  z.refine(({ in: place, name }) => place === "query" || headerName.safeParse(name).success, {
    path: ["name"],
    error: "expected a name that a header or cookie can have",
  }),
);

const basic = mapping({
  users: listOf(
    mapping({ username: filledText, hash: filledText, principal: principal.exactOptional() }),
  ),
});

const token = {
  audience: z.union([filledText, names, z.literal(false)], {
    error: "expected text, a list of texts, or false",
  }),
  subjectClaim: filledText.exactOptional(),
  tenant: filledText.exactOptional(),
  tenantClaim: filledText.exactOptional(),
  scopesClaim: filledText.exactOptional(),
  clockSkew: duration.exactOptional(),
};

const signed = {
  ...token,
  issuer: webUrl,
  algorithms: listOf(oneOf(ALGORITHMS)).exactOptional(),
  typ: filledText.exactOptional(),
};

const jwt = mapping({ ...signed, jwks: filledText });
const oidc = mapping({ ...signed, hosts: listOf(hostName).exactOptional() });

const introspection = mapping({
  ...token,
  url: webUrl,
  clientId: filledText,
  clientSecret: secret,
  cacheFor: duration.exactOptional(),
});

const mtls = mapping({
  principals: listOf(
    mapping({
      id: filledText.exactOptional(),
      ...principalMembers,
      cn: filledText.exactOptional(),
      dns: filledText.exactOptional(),
      uri: filledText.exactOptional(),
      email: filledText.exactOptional(),
    }).check(exactlyOne(["cn", "dns", "uri", "email"])),
  ),
});

const KINDS = ["apiKey", "basic", "jwt", "oidc", "introspection", "mtls"] as const;

const authenticator = mapping({
  apiKey: apiKey.exactOptional(),
  basic: basic.exactOptional(),
  jwt: jwt.exactOptional(),
  oidc: oidc.exactOptional(),
  introspection: introspection.exactOptional(),
  mtls: mtls.exactOptional(),
}).check(exactlyOne(KINDS));

export const access = mapping({
  mode: oneOf(["off", "optional", "required"]).exactOptional(),
  anonymous: oneOf(["isolated", "shared"]).prefault("isolated"),
  authenticators: listOf(authenticator).prefault([]),
  policies: policies.prefault([]),
  adminScope: filledText.exactOptional(),
})
  .check(
    // Whoever writes down how callers are let in does not mean that everybody is.
    z.refine(({ mode, authenticators }) => mode !== undefined || authenticators.length === 0, {
      path: ["mode"],
      error: "expected one of required, optional, off beside authenticators",
    }),
  )
  .transform((settings) => ({ ...settings, mode: settings.mode ?? ("off" as const) }))
  .check(
    fittingPolicies,
    z.refine(({ mode, adminScope }) => adminScope === undefined || mode !== "off", {
      path: ["adminScope"],
      error: "expected only where mode is not off: nobody has a scope there",
    }),
  )
  .prefault({});
