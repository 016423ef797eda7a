/** Tasks that several callers see: of the same tenant, or all of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OPERATIONS, type OperationName } from "../../src/protocol/service.ts";
import { ABOUT_A_TASK } from "./access-requests.ts";
import { asking, begin, saysNothing } from "./access-asking.ts";
import { accessStage, type AccessStage, type Caller } from "./access-stage.ts";
import { DOOR_NAMES } from "./door-names.ts";

const OPERATION_NAMES = (Object.keys(OPERATIONS) as OperationName[]).filter(
  (name) => ABOUT_A_TASK[name],
);

let stage: AccessStage;
before(async () => {
  stage = await accessStage({ mode: "required" });
});
after(() => stage.stop());

const CALLERS: readonly Caller[] = ["bob", "namesake", "stranger"];
const shared: readonly (readonly ["team" | "open", readonly Caller[]])[] = [
  ["team", ["bob"]],
  ["open", CALLERS],
];

for (const [agent, seers] of shared)
  for (const name of DOOR_NAMES)
    test(`${name}: tasks of the agent ${agent} are also those of ${seers.join(", ")} alone`, async () => {
      for (const operation of OPERATION_NAMES)
        for (const way of stage.waysTo(name, operation, agent)) {
          const { task } = await begin(stage, stage.headersOf("alice"), { agent });
          for (const who of CALLERS.filter((each) => !seers.includes(each)))
            await saysNothing(way, asking({ task }), stage.headersOf(who));
          for (const who of seers) {
            const own = await begin(stage, stage.headersOf("alice"), { agent });
            const { verdict, text } = await way(asking({ task: own.task }), stage.headersOf(who));
            assert.equal(verdict, "allowed", `${who} ${operation}: ${text}`);
          }
        }
    });

test("lists of a tenant's agent are the tenant's, those of everybody's are everybody's", async () => {
  const seen = async (agent: "team" | "open", who: Caller): Promise<readonly string[]> => {
    const [door] = stage.gateway.doorsOf(agent);
    const { tasks } = await door.call("listTasks", {}, { headers: stage.headersOf(who) });
    return (tasks as readonly { readonly id: string }[]).map(({ id }) => id);
  };
  for (const [agent, seers] of shared) {
    const { task } = await begin(stage, stage.headersOf("alice"), { agent });
    for (const who of CALLERS)
      assert.equal((await seen(agent, who)).includes(task), seers.includes(who), `${agent} ${who}`);
  }
});
