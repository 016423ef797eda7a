/** The principals that come from elsewhere than a token. */
import type { Method, Principal } from "../protocol/principal.ts";
import { SettingError } from "../setting-error.ts";
import type { PrincipalSettings } from "./settings.ts";

/** A caller without credentials, alone under a new id or, with an empty one, together with all such callers. */
export function anonymous(id: string): Principal {
  return { id, tenant: "", scopes: new Set(), claims: {}, method: "anonymous" };
}

const MAX_LENGTH = 256;

/** A database that keeps UTF-8 would make all lone surrogates one; nobody can tell control characters apart. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;

/** What keeps a text from being the name of somebody or of a tenant; undefined when nothing does. */
export function nameProblem(text: string): string | undefined {
  if (text.trim() === "") return "expected text that is not empty";
  if (text.length > MAX_LENGTH) return `expected at most ${MAX_LENGTH} characters`;
  return UNFIT.test(text) ? "expected printable text" : undefined;
}

/** The principal that a configuration names. Throws a SettingError with a path below `path`. */
export function configuredPrincipal(
  { id, tenant = "", scopes = [] }: PrincipalSettings,
  { path, method }: { readonly path: string; readonly method: Method },
): Principal {
  const problem = nameProblem(id);
  if (problem !== undefined) throw new SettingError(`${path}.id`, problem);
  checkTenant(tenant, `${path}.tenant`);
  return { id, tenant, scopes: new Set(scopes), claims: {}, method };
}

/** Throws a SettingError for a tenant that is neither empty nor fit to be one. */
export function checkTenant(tenant: string, path: string): void {
  const problem = tenant === "" ? undefined : nameProblem(tenant);
  if (problem !== undefined) throw new SettingError(path, problem);
}
