/** Who calls. */
import type { JsonObject } from "./json.ts";

/**
 * How somebody was recognised; `none` where nobody is asked, `anonymous` for whoever came without credentials, `operator`
 * for those who run the gateway, in the name of the owner that is their id.
 */
export type Method =
  | "none"
  | "anonymous"
  | "operator"
  | "apiKey"
  | "basic"
  | "jwt"
  | "oidc"
  | "introspection"
  | "mtls";

export interface Principal {
  /** Unique within the tenant. Empty only for `none`, and for anonymous callers that share what is theirs. */
  readonly id: string;
  /** Empty for whoever has none. */
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
  /** What the token says; nothing for other methods. */
  readonly claims: JsonObject;
  readonly method: Method;
}

/** Whoever calls where nobody is asked. */
export const UNASKED: Principal = {
  id: "",
  tenant: "",
  scopes: new Set(),
  claims: {},
  method: "none",
};
