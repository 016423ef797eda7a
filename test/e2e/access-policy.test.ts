/** Whether there is a way around a policy: other names, addresses and bodies for what it denies. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OPERATIONS, type OperationName } from "../../src/protocol/service.ts";
import { httpAnswer, type Answer } from "./access-answers.ts";
import { accessDoors, methodsOf, type Headers } from "./access-doors.ts";
import { asking, begin, stateOf, type Begun } from "./access-asking.ts";
import { accessStage, type AccessStage } from "./access-stage.ts";
import { DOOR_NAMES } from "./door-names.ts";

const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];
const stranger = { principals: ["stranger"], tenants: [""] };

let stage: AccessStage;
before(async () => {
  stage = await accessStage({
    mode: "required",
    policies: [
      { who: stranger, skills: ["secret"], effect: "deny" },
      { who: { claims: { "job.title": "guest" } }, operations: ["cancel", "send"], effect: "deny" },
    ],
  });
});
after(() => stage.stop());

describe("addresses", () => {
  const BASES = ["", "/own", "/a2a/%6fwn", "//a2a//own"];
  for (const base of BASES)
    test(`what is denied is so at ${JSON.stringify(base)} too`, async () => {
      const { task } = await begin(stage, stage.headersOf("alice"));
      const is = await stateOf(stage, task);
      const doors = accessDoors(stage.gateway, "own", base);
      for (const { name, ways } of doors)
        for (const [operation, all] of ways)
          for (const way of all) {
            const { verdict, text } = await way(asking({ task }), stage.headersWithout(operation));
            // The tenant in front is a form of HTTP+JSON alone.
            if (base === "/own" && name.startsWith("JSON-RPC")) assert.match(verdict, /^other 404/);
            else assert.equal(verdict, "forbidden", `${name} ${operation}: ${text}`);
          }
      for (const door of doors) door.close();
      assert.equal(await stateOf(stage, task), is);
    });

  for (const path of [
    "tasks/ID%3Acancel",
    "tasks/ID:cancel/",
    "Tasks/ID:cancel",
    "tasks/ID:CANCEL",
  ])
    for (const base of ["", "/v1"])
      test(`nothing is canceled at ${base}/${path}`, async () => {
        await leavesAlone("cancelTask", async ({ task }, headers) => {
          const at = `/a2a/own${base}/${path.replace("ID", task)}`;
          return [await httpAnswer(stage.gateway.port, { method: "POST", path: at, headers })];
        });
      });
});

describe("JSON-RPC bodies", () => {
  for (const operation of OPERATION_NAMES)
    for (const { name: method, paramsOf } of methodsOf(operation))
      test(`${method} stays denied however it is written`, async () => {
        await leavesAlone(operation, async ({ task }, headers) => {
          const params = JSON.stringify(paramsOf(asking({ task })));
          const allowed = operation === "getTask" ? "ListTasks" : "GetTask";
          const rest = `"jsonrpc":"2.0","id":1,"params":${params}`;
          const escaped = method
            .split("")
            .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
          const denied = [
            `{"method":"${escaped.join("")}",${rest}}`,
            `{"m\\u0065thod":"${method}",${rest}}`,
            `{"method":"${allowed}","method":"${method}",${rest}}`,
            `{"method":"${allowed}","m\\u0065thod":"${method}",${rest}}`,
          ];
          for (const body of denied) {
            const { verdict, text } = await post(body, headers);
            assert.equal(verdict, "forbidden", `${body}: ${text}`);
          }
          return Promise.all(
            [
              `[{"method":"${method}",${rest}}]`,
              `{"method":["${method}"],${rest}}`,
              `{"method":" ${method}",${rest}}`,
              `{"Method":"${method}",${rest}}`,
              `{"method":"${method}\\u0000",${rest}}`,
              `{"__proto__":{"method":"${method}"},${rest}}`,
            ].map((body) => post(body, headers)),
          );
        });
      });

  test("of two methods the last one counts, for the policy and for the call", async () => {
    const { task } = await begin(stage, stage.headersOf("alice"));
    const is = await stateOf(stage, task);
    const body = `{"method":"CancelTask","method":"GetTask","jsonrpc":"2.0","id":1,"params":{"id":"${task}"}}`;
    assert.equal((await post(body, stage.headersWithout("cancelTask"))).verdict, "not found");
    assert.equal((await post(body, stage.headersOf("alice"))).verdict, "allowed");
    assert.equal(await stateOf(stage, task), is);
  });
});

for (const name of DOOR_NAMES) {
  test(`${name}: a skill that is denied is so for both sends, and others are not`, async () => {
    for (const operation of ["sendMessage", "sendStreamingMessage"] as const)
      for (const way of stage.waysTo(name, operation)) {
        const sent = async (skill: string, headers: Headers): Promise<string> =>
          (await way(asking({ skill }), headers)).verdict;
        assert.equal(await sent("secret", stage.headersOf("stranger")), "forbidden");
        assert.equal(await sent("other", stage.headersOf("stranger")), "allowed");
        assert.equal(await sent("secret", stage.headersOf("bob")), "allowed");
      }
  });

  test(`${name}: a policy goes by a claim of the token`, async () => {
    for (const operation of ["sendMessage", "cancelTask"] as const)
      for (const way of stage.waysTo(name, operation))
        for (const [title, verdict] of [
          ["guest", "forbidden"],
          ["host", "allowed"],
        ] as const) {
          const { task } = await begin(stage, stage.headersOf("alice"));
          const answer = await way(asking({ task }), await stage.token({ job: { title } }));
          assert.equal(answer.verdict, verdict, answer.text);
        }
  });

  test(`${name}: a webhook that comes with a message is one`, async () => {
    const headers = stage.headersWithout("createTaskPushNotificationConfig");
    for (const operation of ["sendMessage", "sendStreamingMessage"] as const)
      for (const way of stage.waysTo(name, operation)) {
        const answer = await way(asking({ hook: "http://127.0.0.1:9/never" }), headers);
        assert.equal(answer.verdict, "forbidden", answer.text);
      }
  });
}

/** Whoever may not do something to a task tries to: nothing is answered as if it were done, and nothing is. */
async function leavesAlone(
  operation: OperationName,
  attempt: (begun: Begun, headers: Headers) => Promise<readonly Answer[]>,
): Promise<void> {
  const begun = await begin(stage, stage.headersOf("alice"));
  const is = await stateOf(stage, begun.task);
  for (const { verdict, text } of await attempt(begun, stage.headersWithout(operation)))
    assert.notEqual(verdict, "allowed", text);
  assert.equal(await stateOf(stage, begun.task), is);
}

function post(body: string, headers: Headers): Promise<Answer> {
  return httpAnswer(stage.gateway.port, {
    method: "POST",
    path: "/a2a/own",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}
