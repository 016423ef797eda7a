/** Callers that bring a client certificate in the TLS handshake. */
import type { Authenticator } from "../authenticator.ts";
import { BadCredentials } from "../refusal.ts";
import type { MtlsSettings } from "../settings.ts";
import { openRule } from "./rules.ts";

/** Throws a SettingError for rules that cannot be used. */
export function mtlsAuthenticator({ principals }: MtlsSettings, path: string): Authenticator {
  const rules = principals.map((rule, index) => openRule(rule, `${path}.principals[${index}]`));
  return {
    method: "mtls",
    challenge: { scheme: "ClientCertificate" },
    async authenticate({ certificate }) {
      if (certificate === undefined) return undefined;
      for (const rule of rules) {
        const principal = rule(certificate);
        if (principal !== undefined) return principal;
      }
      throw new BadCredentials("the client certificate is nobody's that is known");
    },
  };
}
