/** Callers without credentials, where they are let in. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OPERATIONS, type OperationName } from "../../src/protocol/service.ts";
import { ABOUT_A_TASK } from "./access-requests.ts";
import { asking, begin, saysNothing, stateOf } from "./access-asking.ts";
import { accessStage, type AccessStage } from "./access-stage.ts";
import { DOOR_NAMES } from "./door-names.ts";

const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];

let stage: AccessStage;
before(async () => {
  stage = await accessStage({ mode: "optional" });
});
after(() => stage.stop());

for (const name of DOOR_NAMES)
  describe(name, () => {
    for (const operation of OPERATION_NAMES.filter((each) => ABOUT_A_TASK[each]))
      test(`${operation} of somebody's task, and of an anonymous one, is as of one that is not there`, async () => {
        const { task } = await begin(stage, stage.headersOf("alice"));
        const is = await stateOf(stage, task);
        for (const way of stage.waysTo(name, operation)) {
          await saysNothing(way, asking({ task }), {});
          await saysNothing(way, asking({ task: await anonymousTask() }), {});
        }
        assert.equal(await stateOf(stage, task), is);
      });

    test("a tenant's shared tasks are not for callers without credentials", async () => {
      const { task } = await begin(stage, stage.headersOf("stranger"), { agent: "team" });
      for (const way of stage.waysTo(name, "getTask", "team"))
        await saysNothing(way, asking({ task }), {});
    });

    test("an anonymous list is empty", async () => {
      await anonymousTask();
      for (const way of stage.waysTo(name, "listTasks")) {
        const { verdict, text } = await way(asking(), {});
        assert.equal(verdict, "allowed", text);
        assert.doesNotMatch(text, /"contextId"|"totalSize":[1-9]/);
      }
    });

    test("the extended card is for callers with credentials", async () => {
      for (const way of stage.waysTo(name, "getExtendedAgentCard")) {
        assert.equal((await way(asking(), {})).verdict, "unauthenticated");
        const { verdict, text } = await way(asking(), stage.headersOf("stranger"));
        assert.equal(verdict, "allowed", text);
        assert.match(text, /for friends/);
      }
    });

    for (const operation of OPERATION_NAMES)
      test(`${operation} is refused with credentials that are not good`, async () => {
        const now = Math.floor(Date.now() / 1000);
        const expired = await stage.token({ iat: now - 7200, exp: now - 3600 });
        for (const way of stage.waysTo(name, operation))
          for (const headers of [expired, { authorization: "Negotiate x" }])
            assert.equal((await way(asking({ task: "x" }), headers)).verdict, "unauthenticated");
      });
  });

async function anonymousTask(): Promise<string> {
  const [door] = stage.gateway.doorsOf("own");
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "ask" }] };
  const { task } = await door.call("sendMessage", { message });
  return (task as { readonly id: string }).id;
}
