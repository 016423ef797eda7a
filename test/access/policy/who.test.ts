import assert from "node:assert/strict";
import { test } from "node:test";
import type { WhoSettings } from "../../../src/access/policy/settings.ts";
import { whoOf } from "../../../src/access/policy/who.ts";
import { anonymous } from "../../../src/access/principal.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";
import type { Principal } from "../../../src/protocol/principal.ts";

const CLAIMS: JsonObject = {
  email_verified: true,
  level: 3,
  department: "sales",
  groups: ["staff", "night"],
  realm_access: { roles: ["admin"] },
  "https://example.com/plan": "gold",
  nothing: null,
};

const cases: readonly [title: string, who: WhoSettings, given: Partial<Principal>, is: boolean][] =
  [
    ["an id", { principals: ["alice", "bob"] }, { id: "bob" }, true],
    ["an id in other letters", { principals: ["alice"] }, { id: "Alice" }, false],
    ["an id that is somebody's in a tenant", { principals: ["alice"] }, { tenant: "acme" }, false],
    ["an id in its tenant", { principals: ["alice"], tenants: ["acme"] }, { tenant: "acme" }, true],
    [
      "an id without a tenant among tenants",
      { principals: ["alice"], tenants: ["acme", ""] },
      {},
      true,
    ],
    ["a tenant, whoever it is", { tenants: ["acme"] }, { id: "x", tenant: "acme" }, true],
    ["another tenant", { tenants: ["acme"] }, { tenant: "acme2" }, false],
    ["all scopes", { scopes: ["a", "b"] }, { scopes: new Set(["c", "b", "a"]) }, true],
    ["some of the scopes", { scopes: ["a", "b"] }, { scopes: new Set(["a"]) }, false],
    ["scopes of one tenant", { scopes: ["a"], tenants: ["acme"] }, { scopes: new Set("a") }, false],
    ["a text", { claims: { department: "sales" } }, {}, true],
    ["one of several texts", { claims: { department: ["hr", "sales"] } }, {}, true],
    ["a part of a text", { claims: { department: "sale" } }, {}, false],
    ["what looks like a pattern", { claims: { department: "s.*" } }, {}, false],
    ["a flag", { claims: { email_verified: true } }, {}, true],
    ["a flag written as text", { claims: { email_verified: "true" } }, {}, false],
    ["a number", { claims: { level: 3 } }, {}, true],
    ["a number written as text", { claims: { level: "3" } }, {}, false],
    ["an element of a list", { claims: { groups: "night" } }, {}, true],
    ["one of several elements", { claims: { groups: ["day", "staff"] } }, {}, true],
    ["no element of a list", { claims: { groups: "day" } }, {}, false],
    ["a claim within another", { claims: { "realm_access.roles": "admin" } }, {}, true],
    ["a claim with dots in its name", { claims: { "https://example.com/plan": "gold" } }, {}, true],
    ["all of several claims", { claims: { level: 3, department: "sales" } }, {}, true],
    ["some of several claims", { claims: { level: 3, department: "hr" } }, {}, false],
    ["a claim that is not there", { claims: { absent: "x" } }, {}, false],
    ["a claim that is null", { claims: { nothing: "null" } }, {}, false],
    ["a claim below a text", { claims: { "department.length": 5 } }, {}, false],
    ["the length of a list", { claims: { "groups.length": 2 } }, {}, false],
    ["what every object has", { claims: { "constructor.name": "Object" } }, {}, false],
    ["what is behind every object", { claims: { "__proto__.x": "y" } }, {}, false],
    ["somebody who was recognised", { anonymous: false }, {}, true],
    ["nobody who was recognised", { anonymous: true }, {}, false],
  ];

for (const [title, who, given, is] of cases)
  test(`${is ? "is" : "is not"} about ${title}`, () => {
    assert.equal(whoOf(who)(principal(given)), is);
  });

test("callers without credentials are meant only by name", () => {
  for (const caller of [anonymous("019a"), anonymous("")]) {
    assert.equal(whoOf({ anonymous: true })(caller), true);
    const others: readonly WhoSettings[] = [
      { anonymous: false },
      { principals: ["", "019a"], tenants: [""] },
      { tenants: [""] },
    ];
    for (const who of others) assert.equal(whoOf(who)(caller), false);
  }
});

function principal(given: Partial<Principal>): Principal {
  const claims = JSON.parse(JSON.stringify(CLAIMS)) as JsonObject;
  return { id: "alice", tenant: "", scopes: new Set(), claims, method: "jwt", ...given };
}
