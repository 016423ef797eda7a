import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OPERATION_NAMES, type OperationWord } from "../../../src/access/policy/operations.ts";
import { openPolicy } from "../../../src/access/policy/policy.ts";
import type { PolicySettings, WhoSettings } from "../../../src/access/policy/settings.ts";
import type { Intent, Policy } from "../../../src/core/ports/policy.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";
import type { Principal } from "../../../src/protocol/principal.ts";
import { OPERATIONS, type OperationName } from "../../../src/protocol/service.ts";

const alice = principal({ id: "alice" });
const ANYBODY: WhoSettings = { anonymous: false };

test("without policies there is none", () => {
  assert.equal(openPolicy([]), undefined);
});

test("what no policy allows is forbidden, with the operation and the agent in the message", () => {
  const policy = policyOf({ who: { principals: ["bob"] } });
  assert.throws(() => policy.check(intent({ principal: alice })), {
    reason: "FORBIDDEN",
    message: "getTask is not allowed on agent echo",
  });
});

test("what is denied is forbidden, wherever the denial stands", () => {
  const denial: PolicySettings = { who: { principals: ["alice"] }, effect: "deny" };
  for (const both of [
    [denial, { who: ANYBODY }],
    [{ who: ANYBODY }, denial],
  ]) {
    assert.equal(isAllowed(policyOf(...both), { principal: alice }), false);
    assert.equal(isAllowed(policyOf(...both), { principal: principal({ id: "bob" }) }), true);
  }
});

test("a policy with agents is about those alone", () => {
  const policy = policyOf({ who: ANYBODY, agents: ["echo", "late"] });
  assert.equal(isAllowed(policy, { agent: { id: "echo" } }), true);
  assert.equal(isAllowed(policy, { agent: { id: "other" } }), false);
});

describe("operations", () => {
  const PUSH: readonly OperationName[] = [
    "createTaskPushNotificationConfig",
    "getTaskPushNotificationConfig",
    "listTaskPushNotificationConfigs",
    "deleteTaskPushNotificationConfig",
  ];
  const cases: readonly [readonly OperationWord[] | undefined, readonly OperationName[]][] = [
    [undefined, OPERATION_NAMES],
    [["*"], OPERATION_NAMES],
    [["read"], ["getTask", "listTasks", "subscribeToTask", "getExtendedAgentCard"]],
    [["send"], ["sendMessage", "sendStreamingMessage"]],
    [["cancel"], ["cancelTask"]],
    [["push"], PUSH],
    [
      ["cancel", "getTask"],
      ["cancelTask", "getTask"],
    ],
  ];
  for (const [operations, meant] of cases)
    test(`${operations?.join(" and ") ?? "none"} are ${meant.length} operations`, () => {
      const policy = policyOf({ who: ANYBODY, ...(operations && { operations }) });
      const allowed = OPERATION_NAMES.filter((operation) => isAllowed(policy, { operation }));
      assert.deepEqual(allowed.toSorted(), meant.toSorted());
    });

  test("every operation of the service is in a group", () => {
    const policy = policyOf({ who: ANYBODY, operations: ["read", "send", "cancel", "push"] });
    const left = (Object.keys(OPERATIONS) as OperationName[]).filter(
      (operation) => !isAllowed(policy, { operation }),
    );
    assert.deepEqual(left, []);
  });
});

describe("skills", () => {
  const policy = policyOf({ who: ANYBODY, skills: ["sum", "mean"] });

  test("a policy with skills allows sends that name one of them", () => {
    for (const operation of ["sendMessage", "sendStreamingMessage"] as const)
      assert.equal(isAllowed(policy, { operation, skill: "mean" }), true);
  });

  for (const skill of ["other", "", "SUM", undefined])
    test(`a policy with skills does not allow a send that names ${JSON.stringify(skill)}`, () => {
      assert.equal(isAllowed(policy, { operation: "sendMessage", skill }), false);
    });

  test("a policy with skills is about nothing but sends", () => {
    assert.equal(isAllowed(policy, { operation: "cancelTask", skill: "sum" }), false);
  });

  test("a skill that is denied leaves the others", () => {
    const but = policyOf({ who: ANYBODY }, { who: ANYBODY, skills: ["sum"], effect: "deny" });
    assert.equal(isAllowed(but, { operation: "sendMessage", skill: "sum" }), false);
    assert.equal(isAllowed(but, { operation: "sendMessage", skill: "mean" }), true);
    assert.equal(isAllowed(but, { operation: "getTask", skill: "sum" }), true);
  });

  test("the message does not repeat what the caller named", () => {
    assert.throws(() => policy.check(intent({ operation: "sendMessage", skill: "<b>" })), {
      message: "sendMessage with this skill is not allowed on agent echo",
    });
  });
});

describe("whom an agent is shown to", () => {
  const sees = (...policies: readonly PolicySettings[]): boolean =>
    policyOf(...policies).sees(alice, { id: "echo" });

  test("whoever may do anything with it", () => {
    assert.equal(sees({ who: ANYBODY, operations: ["cancel"] }), true);
    assert.equal(sees({ who: ANYBODY, skills: ["sum"] }), true);
  });

  test("nobody who may do nothing with it", () => {
    assert.equal(sees({ who: { principals: ["bob"] } }), false);
    assert.equal(sees({ who: ANYBODY, agents: ["other"] }), false);
    assert.equal(sees({ who: ANYBODY }, { who: ANYBODY, effect: "deny" }), false);
    assert.equal(
      sees({ who: ANYBODY, skills: ["sum"] }, { who: ANYBODY, skills: ["sum"], effect: "deny" }),
      false,
    );
  });

  test("whoever some of its skills are left to", () => {
    const denial: PolicySettings = { who: ANYBODY, skills: ["sum"], effect: "deny" };
    assert.equal(sees({ who: ANYBODY, skills: ["sum", "mean"] }, denial), true);
    assert.equal(sees({ who: ANYBODY, operations: ["send"] }, denial), true);
  });
});

test("an id that is the name of an object's member is one like others", () => {
  const policy = policyOf({ who: { principals: ["toString", "__proto__"] }, agents: ["echo"] });
  assert.equal(isAllowed(policy, { principal: principal({ id: "__proto__" }) }), true);
  assert.equal(isAllowed(policy, { principal: principal({ id: "valueOf" }) }), false);
});

function policyOf(...policies: readonly PolicySettings[]): Policy {
  const policy = openPolicy(policies);
  assert.ok(policy);
  return policy;
}

function isAllowed(policy: Policy, asked: Partial<Intent>): boolean {
  try {
    policy.check(intent(asked));
    return true;
  } catch (thrown) {
    if (A2AError.is(thrown) && thrown.reason === "FORBIDDEN") return false;
    throw thrown;
  }
}

function intent(asked: Partial<Intent> = {}): Intent {
  return {
    principal: alice,
    agent: { id: "echo" },
    operation: "getTask",
    skill: undefined,
    ...asked,
  };
}

function principal(given: Partial<Principal>): Principal {
  const claims: JsonObject = {};
  return { id: "x", tenant: "", scopes: new Set(), claims, method: "jwt", ...given };
}
