/** How API keys are answered: never the hash, and the key itself to whoever made it alone. */
import type { ApiKey, IssuedKey } from "../../core/ports/api-key-store.ts";
import { instant, instantOf, list, named, object, text, type TypeOf } from "./schema.ts";

const REQUIRED = {
  id: text("names the key to operators; it opens nothing"),
  principal: object({ id: text("who comes with it") }, { tenant: text("within which tenant") }),
  scopes: list(text("what its owner may do")),
  createdAt: instant("when it was made"),
};
const OPTIONAL = {
  note: text("what was written down of it"),
  expiresAt: instant("when it ends by itself"),
  revokedAt: instant("when it was ended"),
  lastUsedAt: instant("when it was used last, to the minute"),
};

const API_KEY = named("ApiKey", object(REQUIRED, OPTIONAL));

export const API_KEYS = object({ keys: list(API_KEY) });

export const ISSUED_KEY = named(
  "IssuedKey",
  object({ key: text("what opens the doors: told here and never again"), ...REQUIRED }, OPTIONAL),
);

export function keyAnswer(key: ApiKey): TypeOf<typeof API_KEY> {
  return {
    id: key.id,
    principal: { id: key.principal.id, tenant: key.principal.tenant || undefined },
    scopes: key.scopes,
    note: key.note,
    createdAt: instantOf(key.createdAt),
    expiresAt: instantIn(key.expiresAt),
    revokedAt: instantIn(key.revokedAt),
    lastUsedAt: instantIn(key.lastUsedAt),
  };
}

export function issuedAnswer({ key, record }: IssuedKey): TypeOf<typeof ISSUED_KEY> {
  return { key, ...keyAnswer(record) };
}

function instantIn(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : instantOf(ms);
}
