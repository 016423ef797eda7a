import assert from "node:assert/strict";
import { test } from "node:test";
import { checkBinding, principalOf, type ClaimRules } from "../../../src/access/bearer/claims.ts";
import type { Certificate } from "../../../src/access/certificate.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";

function found(claims: JsonObject, rules: ClaimRules = {}) {
  const { id, tenant, scopes } = principalOf({ sub: "alice", ...claims }, rules, "jwt");
  return { id, tenant, scopes: [...scopes] };
}

test("scopes come from scope, scp and roles, as lists or as texts with spaces", () => {
  const claims = { scope: "a  b", scp: ["c", "a", 1, null], roles: ["d e"] };
  assert.deepEqual(found(claims).scopes, ["a", "b", "c", "d e"]);
  assert.deepEqual(found({ scope: 7, scp: { a: true } }).scopes, []);
});

test("a claim that is configured is found by its name, or by the names on the way to it", () => {
  const claims = {
    realm_access: { roles: ["admin"] },
    "https://acme.example/tenant": "acme",
    scope: "ignored",
    client_id: "robot",
  };
  const rules = {
    scopesClaim: "realm_access.roles",
    tenantClaim: "https://acme.example/tenant",
    subjectClaim: "client_id",
  };
  assert.deepEqual(found(claims, rules), { id: "robot", tenant: "acme", scopes: ["admin"] });
  assert.equal(found({}, { tenant: "fixed" }).tenant, "fixed");
});

test("a token that names nobody is refused", () => {
  for (const sub of ["", " ", null, 7, {}, "a\u0000b", "\udc00", "x".repeat(257)])
    assert.throws(() => found({ sub }), /names no subject/, JSON.stringify(sub));
  assert.throws(() => principalOf({}, {}, "jwt"), /names no subject/);
  assert.throws(() => principalOf({}, { subjectClaim: "constructor.name" }, "jwt"), /no subject/);
});

test("where the tenant is in the token, one without it is refused", () => {
  for (const tid of ["", null, ["acme"]])
    assert.throws(() => found({ tid }, { tenantClaim: "tid" }), /names no tenant/);
  assert.throws(() => found({}, { tenantClaim: "tid" }), /names no tenant/);
});

test("a token that is bound to a certificate comes with that one, and other bindings are not taken", () => {
  const certificate = { thumbprint: "abc" } as Certificate;
  checkBinding({}, undefined);
  checkBinding({ cnf: { "x5t#S256": "abc" } }, certificate);
  const refused: readonly (readonly [JsonObject, Certificate | undefined])[] = [
    [{ cnf: { "x5t#S256": "abc" } }, undefined],
    [{ cnf: { "x5t#S256": "other" } }, certificate],
    [{ cnf: { jkt: "abc" } }, certificate],
    [{ cnf: { "x5t#S256": "abc", jkt: "abc" } }, certificate],
    [{ cnf: {} }, undefined],
    [{ cnf: "abc" }, certificate],
  ];
  for (const [claims, held] of refused)
    assert.throws(() => checkBinding(claims, held), /bound to another key/);
});
