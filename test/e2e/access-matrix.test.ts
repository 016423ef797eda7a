/** Every caller, operation and door: the cells are made from the tables of operations and of dialects. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OPERATIONS, type OperationName } from "../../src/protocol/service.ts";
import { adminOf } from "./admin.ts";
import type { Headers } from "./access-doors.ts";
import { ABOUT_A_TASK, SPELLINGS } from "./access-requests.ts";
import { asking, begin, saysNothing, stateOf, unknownLike } from "./access-asking.ts";
import { accessStage, type AccessStage } from "./access-stage.ts";
import { DOOR_NAMES } from "./door-names.ts";

const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

let stage: AccessStage;
before(async () => {
  stage = await accessStage({ mode: "required" });
});
after(() => stage.stop());

test("every operation has its row, and every door is one of those that are tried", () => {
  assert.deepEqual(Object.keys(SPELLINGS).toSorted(), OPERATION_NAMES.toSorted());
  assert.deepEqual(Object.keys(ABOUT_A_TASK).toSorted(), OPERATION_NAMES.toSorted());
  assert.deepEqual(
    stage.doorsOf("own").map(({ name }) => name),
    DOOR_NAMES,
  );
});

for (const name of DOOR_NAMES)
  describe(name, () => {
    for (const [index, operation] of OPERATION_NAMES.entries()) {
      test(`${operation} is its owner's, by key and by token`, async () => {
        for (const headers of [stage.headersOf("alice"), await stage.token()])
          for (const way of stage.waysTo(name, operation)) {
            const { task } = await begin(stage, stage.headersOf("alice"));
            const answer = await way(asking({ task }), headers);
            assert.equal(answer.verdict, "allowed", answer.text);
          }
      });

      if (ABOUT_A_TASK[operation])
        test(`${operation} of another's task is as of one that is not there`, async () => {
          const { task, contextId } = await begin(stage, stage.headersOf("alice"));
          const is = await stateOf(stage, task);
          for (const who of ["bob", "namesake", "stranger"] as const)
            for (const way of stage.waysTo(name, operation))
              for (const asked of [asking({ task }), asking({ task, contextId })])
                await saysNothing(way, asked, stage.headersOf(who));
          assert.equal(await stateOf(stage, task), is);
        });

      test(`${operation} is refused to whom a policy denies it, whatever it is about`, async () => {
        const { task } = await begin(stage, stage.headersOf("alice"));
        const is = await stateOf(stage, task);
        const other = OPERATION_NAMES[(index + 1) % OPERATION_NAMES.length] ?? operation;
        for (const way of stage.waysTo(name, operation)) {
          const [answer, ...others] = await Promise.all(
            [task, unknownLike(task), ""].map((named) =>
              way(asking({ task: named || "none" }), stage.headersWithout(operation)),
            ),
          );
          assert.equal(answer?.verdict, "forbidden", answer?.text);
          for (const each of others) assert.deepEqual(each, answer);
          const { verdict } = await way(asking({ task }), stage.headersWithout(other));
          assert.notEqual(verdict, "forbidden", `denied ${other} only`);
        }
        assert.equal(await stateOf(stage, task), is);
      });

      test(`${operation} is refused without good credentials, with a challenge`, async () => {
        const { task } = await begin(stage, stage.headersOf("alice"));
        const is = await stateOf(stage, task);
        for (const [what, headers] of Object.entries(await badCredentials()))
          for (const way of stage.waysTo(name, operation))
            for (const named of [task, unknownLike(task)]) {
              const answer = await way(asking({ task: named }), headers);
              assert.equal(answer.verdict, "unauthenticated", `${what}: ${answer.text}`);
              assert.match(String(answer.headers["www-authenticate"]), /ApiKey.*Bearer/, what);
            }
        assert.equal(await stateOf(stage, task), is);
      });
    }
  });

async function badCredentials(): Promise<Readonly<Record<string, Headers>>> {
  const now = Math.floor(Date.now() / 1000);
  return {
    none: {},
    revoked: await revokedKey(),
    expired: await stage.token({ iat: now - 7200, exp: now - 3600 }),
    "for others": await stage.token({ aud: "https://other.example" }),
    "without a tenant": await stage.token({ tenant: undefined }),
    unsigned: await unsigned(),
  };
}

let revoked: Promise<Headers> | undefined;

/** A key that was good, and was used before it was revoked. */
function revokedKey(): Promise<Headers> {
  return (revoked ??= (async () => {
    const admin = adminOf(stage.gateway.opsUrl);
    const principal = { id: "alice", tenant: "acme" };
    const made = (await admin.done("POST", "/keys", { principal })) as {
      readonly id: string;
      readonly key: string;
    };
    const headers = { "x-api-key": made.key };
    const { task } = await begin(stage, headers);
    assert.match(await stateOf(stage, task), /INPUT_REQUIRED/);
    await admin.done("DELETE", `/keys/${made.id}`);
    return headers;
  })());
}

/** A token of alice whose signature is left out. */
async function unsigned(): Promise<Headers> {
  const { authorization = "" } = await stage.token();
  const [, payload = ""] = authorization.split(".");
  const header = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url");
  return { authorization: `Bearer ${header}.${payload}.` };
}
