/** Who is let in, as it stands below `access` in the configuration. Durations are in milliseconds. */
import type { Algorithm } from "./jwt/algorithms.ts";

export interface AccessSettings {
  /**
   * `required`: whoever has no credentials is refused. `optional`: they are anonymous. `off`: nobody is asked, and all
   * callers are one. Credentials that are not good are refused in both of the former.
   */
  readonly mode: "required" | "optional" | "off";
  /**
   * Where credentials are optional, whether callers without any see only what came of the very call (`isolated`, the
   * default) or all of them share what is theirs (`shared`).
   */
  readonly anonymous?: "isolated" | "shared";
  /** Whoever's credentials carry this scope may use the Admin API. */
  readonly adminScope?: string;
  /** In the order in which they are asked. */
  readonly authenticators: readonly AuthenticatorSettings[];
}

export type AuthenticatorSettings =
  | { readonly apiKey: ApiKeySettings }
  | { readonly basic: BasicSettings }
  | { readonly jwt: JwtSettings }
  | { readonly oidc: OidcSettings }
  | { readonly introspection: IntrospectionSettings }
  | { readonly mtls: MtlsSettings };

/** A text that nobody else is to know, or the file that holds it. */
export type Secret = string | { readonly file: string };

/** Who a caller is once it has been recognised. */
export interface PrincipalSettings {
  readonly id: string;
  /** None when absent. */
  readonly tenant?: string;
  readonly scopes?: readonly string[];
}

export interface ApiKeySettings {
  readonly in: "header" | "query" | "cookie";
  readonly name: string;
  /** Beside those that were made at run time. */
  readonly keys?: readonly StaticKeySettings[];
}

/** Either the SHA-256 of a key, as 64 hexadecimal digits, or the file that holds the key itself. */
export type StaticKeySettings = { readonly principal: PrincipalSettings } & (
  { readonly hash: string } | { readonly file: string }
);

export interface BasicSettings {
  readonly users: readonly UserSettings[];
}

export interface UserSettings {
  readonly username: string;
  /** As `hashPassword` makes it: `$scrypt$ln=15,r=8,p=3$…$…`. */
  readonly hash: string;
  /** The user name, without a tenant and scopes, when absent. */
  readonly principal?: PrincipalSettings;
}

/** What all kinds of bearer tokens are read by. */
export interface TokenSettings {
  /** One of these must be in `aud`; false asks for none, and takes tokens that were made for others. */
  readonly audience: string | readonly string[] | false;
  /** The claim that holds the id; `sub` when absent. */
  readonly subjectClaim?: string;
  /** The tenant of everybody who comes with such a token; none when absent. */
  readonly tenant?: string;
  /** The claim that holds the tenant, in place of `tenant`. A token without it is refused. */
  readonly tenantClaim?: string;
  /** The claim that holds the scopes; `scope`, `scp` and `roles` together when absent. */
  readonly scopesClaim?: string;
  /** How far the clocks may be apart; 30 s when absent. */
  readonly clockSkew?: number;
}

export interface SignedTokenSettings extends TokenSettings {
  readonly issuer: string;
  /** All that sign with a private key, when absent. */
  readonly algorithms?: readonly Algorithm[];
  /** What the header's `typ` must say, such as `at+jwt`; when absent, `JWT`, `at+jwt` and nothing at all will do. */
  readonly typ?: string;
}

export interface JwtSettings extends SignedTokenSettings {
  /** Where the issuer's JSON Web Key Set is: a URL of http or https, else the path of a file. */
  readonly jwks: string;
}

export interface OidcSettings extends SignedTokenSettings {
  /** Where else than at the issuer's own host its keys may be: `host` or `host:port`. */
  readonly hosts?: readonly string[];
}

export interface IntrospectionSettings extends TokenSettings {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** For how long an answer that a token is good counts at most; 60 s when absent. */
  readonly cacheFor?: number;
}

export interface MtlsSettings {
  /** In order; the first that fits counts. */
  readonly principals: readonly CertificateRule[];
}

/**
 * Which certificates, by one of their names, and who comes with them. One `*` in the name stands for any text; in `dns`
 * for one label. Without an id the certificate's own name is the id.
 */
export type CertificateRule = Omit<PrincipalSettings, "id"> & { readonly id?: string } & (
    | { readonly cn: string }
    | { readonly dns: string }
    | { readonly uri: string }
    | { readonly email: string }
  );
