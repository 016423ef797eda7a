import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { UNASKED } from "../../src/protocol/principal.ts";
import { ownerOf } from "../../src/core/owner.ts";
import { anonymous, nameProblem } from "../../src/access/principal.ts";

function named(tenant: string, id: string): string {
  return ownerOf({ tenant, id, method: "jwt" }, "none");
}

test("the owner is readable: the id, behind its tenant where there is one", () => {
  assert.equal(named("", "alice@example.com"), "alice@example.com");
  assert.equal(named("acme", "alice"), "acme/alice");
  assert.equal(named("acme", "spiffe://acme/100%"), "acme/spiffe:%2F%2Facme%2F100%25");
});

test("no two pairs of tenant and id have one owner", () => {
  assert.notEqual(named("c", "a:b"), named("c:a", "b"));
  assert.notEqual(named("", "a/b"), named("a", "b"));
  assert.notEqual(named("a/b", "c"), named("a", "b/c"));
  assert.notEqual(named("a", "b%2Fc"), named("a", "b/c"));
  const text = fc.string({ unit: fc.constantFrom("a", "/", "%", "2", "F", ":", "") });
  const id = text.filter((name) => name !== "");
  fc.assert(
    fc.property(text, id, text, id, (tenant, one, otherTenant, other) => {
      const isSame = tenant === otherTenant && one === other;
      assert.equal(named(tenant, one) === named(otherTenant, other), isSame);
    }),
  );
});

test("only where nobody is asked the owner is empty", () => {
  assert.equal(ownerOf(UNASKED, "none"), "");
  assert.equal(ownerOf(anonymous(""), "none"), "/anonymous");
  assert.equal(ownerOf(anonymous("1"), "none"), "/anonymous/1");
});

test("nobody can have a name under which an anonymous caller goes", () => {
  const name = fc.string({ minLength: 1 }).filter((text) => nameProblem(text) === undefined);
  const tenant = fc.oneof(fc.constant(""), name);
  fc.assert(
    fc.property(tenant, name, (t, id) => {
      assert.ok(!named(t, id).startsWith("/"));
      assert.notEqual(named(t, id), "");
    }),
  );
  assert.equal(named("", "/anonymous"), "%2Fanonymous");
});

test("a name that is empty, long, or holds what nobody sees is none", () => {
  for (const name of ["", " ", "\t", "a\u0000", "a\nb", "\ud800", "x".repeat(257)])
    assert.notEqual(nameProblem(name), undefined, JSON.stringify(name));
  for (const name of ["a", "ü", "😀", "a b", "x".repeat(256)])
    assert.equal(nameProblem(name), undefined, name);
});
