/** Which certificate is whose. */
import type { Certificate } from "../certificate.ts";
import type { Principal } from "../../protocol/principal.ts";
import { checkTenant, nameProblem } from "../principal.ts";
import { SettingError } from "../../setting-error.ts";
import type { CertificateRule } from "../settings.ts";

/** The principal of a certificate, undefined for one that the rule is not about. */
export type Rule = (certificate: Certificate) => Principal | undefined;

/** Throws a SettingError for a name with several stars, and an id or a tenant that is none. */
export function openRule(settings: CertificateRule, path: string): Rule {
  const { id, tenant = "", scopes = [] } = settings;
  const problem = id === undefined ? undefined : nameProblem(id);
  if (problem !== undefined) throw new SettingError(`${path}.id`, problem);
  checkTenant(tenant, `${path}.tenant`);
  const { kind, name, namesOf } = nameIn(settings);
  const pattern = patternOf(name, kind, path);
  const granted = new Set(scopes);
  return (certificate) => {
    const found = namesOf(certificate).find((each) => pattern.test(each));
    if (found === undefined) return undefined;
    if (nameProblem(id ?? found) !== undefined) return undefined;
    return { id: id ?? found, tenant, scopes: granted, claims: {}, method: "mtls" };
  };
}

interface Name {
  readonly kind: "cn" | "dns" | "uri" | "email";
  readonly name: string;
  readonly namesOf: (certificate: Certificate) => readonly string[];
}

function nameIn(rule: CertificateRule): Name {
  if ("dns" in rule) return { kind: "dns", name: rule.dns.toLowerCase(), namesOf: (c) => c.dns };
  if ("uri" in rule) return { kind: "uri", name: rule.uri, namesOf: (c) => c.uri };
  if ("email" in rule) return { kind: "email", name: rule.email, namesOf: (c) => c.email };
  const namesOf = ({ commonName }: Certificate) => (commonName === undefined ? [] : [commonName]);
  return { kind: "cn", name: rule.cn, namesOf };
}

function patternOf(name: string, kind: Name["kind"], path: string): RegExp {
  const parts = name.split("*");
  if (parts.length > 2 || name === "")
    throw new SettingError(`${path}.${kind}`, "expected a name with at most one *");
  const any = kind === "dns" ? "[^.]+" : ".+";
  return new RegExp(`^${parts.map(literal).join(any)}$`, "s");
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
