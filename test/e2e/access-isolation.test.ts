/** What of a caller's tasks others might learn of or touch without naming them as theirs. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Turn } from "../../src/core/ports/handler.ts";
import { asking, begin } from "./access-asking.ts";
import type { Asked } from "./access-requests.ts";
import { accessStage, type AccessStage, type Caller } from "./access-stage.ts";
import { DOOR_NAMES } from "./door-names.ts";

let stage: AccessStage;
before(async () => {
  stage = await accessStage({ mode: "required" });
});
after(() => stage.stop());

describe("lists", () => {
  for (const name of DOOR_NAMES)
    test(`${name}: count and show nobody else's tasks`, async () => {
      await begin(stage, stage.headersOf("alice"));
      const newcomer = await stage.token({ sub: `newcomer ${name}` });
      for (const way of stage.waysTo(name, "listTasks")) {
        const [own, none] = [
          await way(asking(), stage.headersOf("alice")),
          await way(asking(), newcomer),
        ];
        assert.match(own.text, /"contextId".*"totalSize":[1-9]/);
        assert.equal(none.verdict, "allowed", none.text);
        assert.doesNotMatch(none.text, /"contextId"|"totalSize":[1-9]/);
      }
    });
});

describe("sends", () => {
  const SENDS = ["sendMessage", "sendStreamingMessage"] as const;
  for (const name of DOOR_NAMES)
    for (const operation of SENDS) {
      test(`${name}: ${operation} in another's context begins a task that is not in it`, async () => {
        const { task, contextId } = await begin(stage, stage.headersOf("alice"));
        const before = await tasksIn(contextId, "alice");
        for (const way of stage.waysTo(name, operation)) {
          const answer = await way(asking({ contextId }), stage.headersOf("bob"));
          assert.equal(answer.verdict, "allowed", answer.text);
          assert.doesNotMatch(answer.text, new RegExp(task));
        }
        assert.deepEqual(await tasksIn(contextId, "alice"), before);
        assert.deepEqual(before, [task]);
        assert.ok(!(await tasksIn(contextId, "bob")).includes(task));
      });

      test(`${name}: ${operation} refers to nobody else's task`, async () => {
        const { task } = await begin(stage, stage.headersOf("alice"));
        for (const way of stage.waysTo(name, operation)) {
          const asked = asking({ referenced: task });
          const answer = await way(asked, stage.headersOf("bob"));
          assert.equal(answer.verdict, "allowed", answer.text);
          const turn = stage.turns.find(({ message }) => message.messageId === asked.messageId);
          assert.deepEqual(turn?.referencedTasks, []);
        }
      });

      test(`${name}: ${operation} of another's message again is a message of its own`, async () => {
        for (const way of stage.waysTo(name, operation)) {
          const asked = asking();
          const { task, contextId } = await begin(stage, stage.headersOf("alice"), asked);
          for (const text of ["ask", "something else"]) {
            const who = text === "ask" ? "bob" : "namesake";
            const answer = await way({ ...asked, text }, stage.headersOf(who));
            assert.equal(answer.verdict, "allowed", answer.text);
            assert.doesNotMatch(answer.text, new RegExp(`${task}|${contextId}`));
          }
        }
      });

      test(`${name}: ${operation} of a message that another's turn is about waits for no such turn`, async () => {
        for (const way of stage.waysTo(name, operation)) {
          const asked = asking({ text: "hold" });
          const [begun] = stage.waysTo(name, "sendStreamingMessage");
          const first = begun?.(asked, stage.headersOf("alice"));
          await turnsOf(asked, 1);
          const { verdict, text } = await way(asked, stage.headersOf("bob"));
          assert.equal(verdict, "allowed", text);
          assert.ok((await first)?.text);
          const [own, other] = await turnsOf(asked, 2);
          assert.notEqual(own?.taskId, other?.taskId);
          assert.doesNotMatch(text, new RegExp(String(own?.taskId)));
        }
      });
    }
});

/** The turns that a message has led to, once there are so many. */
async function turnsOf({ messageId }: Asked, count: number): Promise<readonly Turn[]> {
  for (let tries = 0; tries < 1_000; tries++) {
    const turns = stage.turns.filter(({ message }) => message.messageId === messageId);
    if (turns.length >= count) return turns;
    await setTimeout(5);
  }
  return assert.fail(`no ${count} turns of ${messageId}`);
}

/** The tasks of a context that somebody sees. */
async function tasksIn(contextId: string, who: Caller): Promise<readonly string[]> {
  const answer = await stage.gateway
    .doorsOf("own")[0]
    .call("listTasks", { contextId }, { headers: stage.headersOf(who) });
  const tasks = answer["tasks"] as readonly { readonly id: string }[];
  return tasks.map(({ id }) => id);
}
