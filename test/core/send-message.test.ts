import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import type { Handler, HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import { A2AError } from "../../src/protocol/errors.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import {
  artifact,
  authRequired,
  completed,
  inputRequired,
  message,
  Puppet,
  says,
  throws,
  ScriptedHandler,
  working,
} from "../support/scripted-handler.ts";
import {
  callOf,
  named,
  requestOf,
  startService,
  taskIn,
  textsOf,
  withConfiguration,
  type Options,
  type Running,
} from "../support/task-service.ts";

async function withService(
  handler: Handler,
  run: (running: Running) => Promise<void>,
  options: Options = {},
): Promise<void> {
  const running = await startService(handler, options);
  try {
    await run(running);
  } finally {
    await running.stop();
  }
}

function reasonOf(reason: string): (thrown: unknown) => boolean {
  return (thrown) => {
    assert.ok(A2AError.is(thrown), String(thrown));
    assert.equal(thrown.reason, reason);
    return true;
  };
}

describe("sendMessage", () => {
  it("waits for the end and answers with the newest state and all artifacts", async () => {
    const handler = new ScriptedHandler(says(working, artifact("one"), artifact("two"), completed));
    await withService(handler, async ({ service }) => {
      const task = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
      assert.deepEqual(
        task.artifacts?.map(({ parts }) => parts[0]?.text),
        ["one", "two"],
      );
      assert.deepEqual(textsOf(task.history), ["hi"]);
      assert.equal(task.history?.[0]?.taskId, task.id);
    });
  });

  it("completes the task of a handler that just ends", async () => {
    await withService(new ScriptedHandler(says(artifact("x"))), async ({ service }) => {
      const task = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    });
  });

  it("makes no task for an answer by message", async () => {
    await withService(new ScriptedHandler(says(message("hello"))), async ({ service }) => {
      const answer = await service.sendMessage(requestOf("hi", { contextId: "ünï" }), callOf());
      assert.ok("message" in answer);
      assert.equal(answer.message.role, "ROLE_AGENT");
      assert.equal(answer.message.contextId, "ünï");
      assert.equal(answer.message.taskId, undefined);
      assert.equal((await service.listTasks({}, callOf())).totalSize, 0);
    });
  });

  it("answers with the error that a handler throws first, and makes no task", async () => {
    const handler = new ScriptedHandler(
      throws(new A2AError("CONTENT_TYPE_NOT_SUPPORTED", "no pictures")),
    );
    await withService(handler, async ({ service }) => {
      const sending = service.sendMessage(requestOf("hi"), callOf());
      await assert.rejects(sending, reasonOf("CONTENT_TYPE_NOT_SUPPORTED"));
      assert.equal((await service.listTasks({}, callOf())).totalSize, 0);
    });
  });

  it("fails the task of a handler that throws, naming the cause but no path", async () => {
    const causes: [unknown, string][] = [
      [new Error("out of paper\nat line 3"), "the agent failed: out of paper"],
      [
        Object.assign(new Error("open '/etc/secret'"), { code: "ENOENT", syscall: "open" }),
        "the agent failed: ENOENT",
      ],
    ];
    for (const [cause, text] of causes) {
      const handler = new ScriptedHandler(throws(cause, working));
      await withService(handler, async ({ service }) => {
        const task = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
        assert.equal(task.status.state, "TASK_STATE_FAILED");
        assert.deepEqual(task.status.message?.parts, [{ text }]);
      });
    }
  });

  it("ends the wait at INPUT_REQUIRED and AUTH_REQUIRED, and stores what comes after", async () => {
    const puppet = new Puppet();
    await withService(new ScriptedHandler(puppet.script), async ({ service }) => {
      puppet.say(working, authRequired);
      const waiting = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      assert.equal(waiting.status.state, "TASK_STATE_AUTH_REQUIRED");
      const events = service.subscribeToTask({ id: waiting.id }, callOf());
      await events[Symbol.asyncIterator]().next();
      puppet.say(working, completed);
      for await (const _ of events);
      const task = modelOf(await service.getTask({ id: waiting.id }, callOf()));
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    });
  });

  it("returns at once when asked to, on the first and on a further turn", async () => {
    const puppet = new Puppet();
    await withService(new ScriptedHandler(puppet.script), async ({ service }) => {
      const now = { returnImmediately: true };
      puppet.say(working);
      const first = taskIn(
        await service.sendMessage(withConfiguration(requestOf("hi"), now), callOf()),
      );
      puppet.say(inputRequired);
      puppet.end();
      const follow = withConfiguration(requestOf("more", { taskId: first.id }), now);
      puppet.say(working);
      const second = taskIn(await service.sendMessage(follow, callOf()));
      assert.equal(second.status.state, "TASK_STATE_WORKING");
      assert.deepEqual(textsOf(second.history), ["hi", "which one?", "more"]);
      puppet.end();
    });
  });

  it("creates the task as SUBMITTED when the first event takes long, and completes it with a late message", async () => {
    const puppet = new Puppet();
    await withService(new ScriptedHandler(puppet.script), async ({ service }) => {
      const request = withConfiguration(requestOf("hi"), { returnImmediately: true });
      const task = taskIn(await service.sendMessage(request, callOf()));
      assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
      const events = service.subscribeToTask({ id: task.id }, callOf());
      await events[Symbol.asyncIterator]().next();
      puppet.say(message("late"));
      for await (const _ of events);
      const ended = modelOf(await service.getTask({ id: task.id }, callOf()));
      assert.equal(ended.status.state, "TASK_STATE_COMPLETED");
      assert.equal(ended.status.message?.parts[0]?.text, "late");
    });
  });

  it("continues a task that waits, with its history and its context", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    await withService(handler, async ({ service }) => {
      const first = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      handler.script = says(artifact("done"));
      const request = requestOf("the red one", { taskId: first.id });
      const second = taskIn(await service.sendMessage(request, callOf()));
      assert.equal(second.id, first.id);
      assert.equal(second.contextId, first.contextId);
      assert.equal(second.status.state, "TASK_STATE_COMPLETED");
      assert.deepEqual(textsOf(second.history), ["hi", "which one?", "the red one"]);
      assert.equal(handler.turns[1]?.task?.status.state, "TASK_STATE_INPUT_REQUIRED");
    });
  });

  it("refuses unknown tasks, ended tasks and other contexts, and changes nothing", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    await withService(handler, async ({ service }) => {
      const open = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      handler.script = says(completed);
      const ended = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      const refused: [Parameters<typeof requestOf>[1], string][] = [
        [{ taskId: "made-up" }, "TASK_NOT_FOUND"],
        [{ taskId: ended.id }, "UNSUPPORTED_OPERATION"],
        [{ taskId: open.id, contextId: "other" }, "INVALID_PARAMS"],
      ];
      for (const [ids, reason] of refused) {
        await assert.rejects(service.sendMessage(requestOf("x", ids), callOf()), reasonOf(reason));
      }
      assert.equal((await service.listTasks({}, callOf())).totalSize, 2);
      assert.equal(handler.turns.length, 2);
    });
  });

  it("runs the turns of one task one after another", async () => {
    const puppet = new Puppet();
    const handler = new ScriptedHandler(puppet.script);
    await withService(handler, async ({ service }) => {
      const request = withConfiguration(requestOf("one"), { returnImmediately: true });
      puppet.say(working);
      const { id } = taskIn(await service.sendMessage(request, callOf()));
      const second = service.sendMessage(requestOf("two", { taskId: id }), callOf());
      const third = service.sendMessage(requestOf("three", { taskId: id }), callOf());
      await service.getTask({ id }, callOf());
      assert.equal(handler.turns.length, 1);
      puppet.say(inputRequired);
      puppet.end();
      puppet.say(inputRequired);
      puppet.end();
      assert.equal(taskIn(await second).status.state, "TASK_STATE_INPUT_REQUIRED");
      puppet.say(completed);
      assert.deepEqual(textsOf(taskIn(await third).history), [
        "one",
        "which one?",
        "two",
        "which one?",
        "three",
      ]);
    });
  });

  it("drops what a handler says after the end", async () => {
    const handler = new ScriptedHandler(says(completed, artifact("late"), working));
    await withService(handler, async ({ service }) => {
      const task = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      const stored = modelOf(await service.getTask({ id: task.id }, callOf()));
      assert.equal(stored.status.state, "TASK_STATE_COMPLETED");
      assert.deepEqual(stored.artifacts, []);
    });
  });

  it("merges a snapshot of the task by ids, without repeating anything", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    await withService(handler, async ({ service }) => {
      const first = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      const snapshot: HandlerEvent = {
        kind: "task",
        state: "TASK_STATE_COMPLETED",
        history: first.history ?? [],
        artifacts: [{ artifactId: "a", parts: [{ text: "x" }] }],
      };
      handler.script = says(artifact("x", "a"), snapshot);
      const request = requestOf("go", { taskId: first.id });
      const task = taskIn(await service.sendMessage(request, callOf()));
      assert.deepEqual(textsOf(task.history), ["hi", "which one?", "go"]);
      assert.equal(task.artifacts?.length, 1);
    });
  });

  it("shows as much history as was asked for", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    await withService(handler, async ({ service }) => {
      const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
      const request = withConfiguration(requestOf("more", { taskId: id }), { historyLength: 1 });
      assert.deepEqual(textsOf(taskIn(await service.sendMessage(request, callOf())).history), [
        "more",
      ]);
      const none = modelOf(await service.getTask({ id, historyLength: 0 }, callOf()));
      assert.ok(!("history" in none));
      const all = modelOf(await service.getTask({ id, historyLength: 99 }, callOf()));
      assert.deepEqual(textsOf(all.history), ["hi", "which one?", "more"]);
      const negative = service.getTask({ id, historyLength: -1 }, callOf());
      await assert.rejects(negative, reasonOf("INVALID_PARAMS"));
    });
  });

  it("hides the tasks of one caller from another", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    await withService(handler, async ({ service }) => {
      const alice = callOf({ principal: named("alice") });
      const bob = callOf({ principal: named("bob") });
      const { id } = taskIn(await service.sendMessage(requestOf("hi"), alice));
      const attempts = [
        service.getTask({ id }, bob),
        service.cancelTask({ id }, bob),
        service.sendMessage(requestOf("x", { taskId: id }), bob),
        service.subscribeToTask({ id }, bob)[Symbol.asyncIterator]().next(),
      ];
      for (const attempt of attempts) await assert.rejects(attempt, reasonOf("TASK_NOT_FOUND"));
      assert.equal((await service.listTasks({}, bob)).totalSize, 0);
      await service.sendMessage(requestOf("x", { referenceTaskIds: [id] }), bob);
      assert.deepEqual(handler.turns.at(-1)?.referencedTasks, []);
    });
  });

  it("gives the handler the tasks that a message refers to, and the headers it may see", async () => {
    const handler = new ScriptedHandler(says(completed));
    const options = { agent: { forwardHeaders: ["x-team"] } };
    await withService(
      handler,
      async ({ service }) => {
        const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
        const call = callOf({ headers: { "x-team": "red", authorization: "secret" } });
        await service.sendMessage(requestOf("x", { referenceTaskIds: [id, "gone"] }), call);
        assert.deepEqual(
          handler.turns[1]?.referencedTasks.map((task) => task.id),
          [id],
        );
        assert.deepEqual(handler.turns[1]?.headers, { "x-team": "red" });
      },
      options,
    );
  });

  it("fails a turn that takes longer than the agent's limit", async () => {
    const puppet = new Puppet();
    const handler = new ScriptedHandler(puppet.script);
    await withService(
      handler,
      async ({ service }) => {
        const task = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
        assert.equal(task.status.state, "TASK_STATE_FAILED");
        assert.match(task.status.message?.parts[0]?.text ?? "", /did not finish within 20 ms/);
        assert.equal(handler.turns[0]?.signal.aborted, true);
      },
      { agent: { turnTimeoutMs: 20 } },
    );
  });

  it("follows a task that waits for its caller no longer than the agent's limit, and leaves it so", async () => {
    const puppet = new Puppet();
    const handler = new ScriptedHandler(puppet.script);
    await withService(
      handler,
      async ({ service }) => {
        puppet.say(authRequired);
        const { id, status } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
        assert.equal(status.state, "TASK_STATE_AUTH_REQUIRED");
        const { signal } = handler.turns[0] as Turn;
        if (!signal.aborted) await once(signal, "abort");
        const task = modelOf(await service.getTask({ id }, callOf()));
        assert.equal(task.status.state, "TASK_STATE_AUTH_REQUIRED");
        handler.script = says(completed);
        const more = await service.sendMessage(requestOf("go", { taskId: id }), callOf());
        assert.equal(taskIn(more).status.state, "TASK_STATE_COMPLETED");
      },
      { agent: { turnTimeoutMs: 20 } },
    );
  });

  it("refuses a new turn past the limit of running tasks", async () => {
    const puppet = new Puppet();
    await withService(
      new ScriptedHandler(puppet.script),
      async ({ service }) => {
        puppet.say(working);
        const request = withConfiguration(requestOf("hi"), { returnImmediately: true });
        await service.sendMessage(request, callOf());
        const refused = service.sendMessage(requestOf("hi"), callOf());
        await assert.rejects(refused, reasonOf("UNAVAILABLE"));
      },
      { runningTasks: 1 },
    );
  });

  it("refuses a push config, a missing extension and an unknown tenant", async () => {
    const extensions = [{ uri: "urn:x", required: true }];
    const { card } = await import("../support/task-service.ts");
    const agent = { card: { ...card, capabilities: { ...card.capabilities, extensions } } };
    await withService(
      new ScriptedHandler(says(completed)),
      async ({ service }) => {
        const bare = service.sendMessage(requestOf("hi"), callOf());
        await assert.rejects(bare, reasonOf("EXTENSION_SUPPORT_REQUIRED"));
        const call = callOf({ extensions: ["urn:x"] });
        const config = { taskPushNotificationConfig: { url: "https://example.com" } };
        const push = service.sendMessage(withConfiguration(requestOf("hi"), config), call);
        await assert.rejects(push, reasonOf("PUSH_NOTIFICATION_NOT_SUPPORTED"));
        const tenant = service.sendMessage({ ...requestOf("hi"), tenant: "nobody" }, call);
        await assert.rejects(tenant, reasonOf("INVALID_PARAMS"));
        await service.sendMessage({ ...requestOf("hi"), tenant: "test" }, call);
      },
      { agent },
    );
  });
});

describe("a message that is sent again", () => {
  const options = { agent: { idempotencyWindowMs: 60_000 } };

  it("answers with the same task, also while the first is on its way", async () => {
    const puppet = new Puppet();
    const handler = new ScriptedHandler(puppet.script);
    await withService(
      handler,
      async ({ service }) => {
        const request = requestOf("hi");
        const first = service.sendMessage(request, callOf());
        const second = service.sendMessage(request, callOf());
        puppet.say(completed);
        const { id } = taskIn(await first);
        assert.equal(taskIn(await second).id, id);
        assert.equal(taskIn(await service.sendMessage(request, callOf())).id, id);
        assert.equal(handler.turns.length, 1);
      },
      options,
    );
  });

  it("is refused when its content is another one", async () => {
    await withService(
      new ScriptedHandler(says(completed)),
      async ({ service }) => {
        const request = requestOf("hi");
        await service.sendMessage(request, callOf());
        const other = { message: { ...request.message, parts: [{ text: "ho" }] } };
        await assert.rejects(service.sendMessage(other, callOf()), reasonOf("INVALID_PARAMS"));
      },
      options,
    );
  });

  it("is another message when another caller sends it", async () => {
    await withService(
      new ScriptedHandler(says(completed)),
      async ({ service }) => {
        const request = requestOf("hi");
        const alice = await service.sendMessage(request, callOf({ principal: named("alice") }));
        const bob = await service.sendMessage(request, callOf({ principal: named("bob") }));
        assert.notEqual(taskIn(alice).id, taskIn(bob).id);
      },
      options,
    );
  });

  it("is taken once on a further turn too", async () => {
    const handler = new ScriptedHandler(says(inputRequired));
    await withService(
      handler,
      async ({ service }) => {
        const { id } = taskIn(await service.sendMessage(requestOf("hi"), callOf()));
        const follow = requestOf("more", { taskId: id });
        await service.sendMessage(follow, callOf());
        await service.sendMessage(follow, callOf());
        assert.equal(handler.turns.length, 2);
      },
      options,
    );
  });

  it("makes a second task where the agent does not ask for more", async () => {
    await withService(new ScriptedHandler(says(completed)), async ({ service }) => {
      const request = requestOf("hi");
      const first = taskIn(await service.sendMessage(request, callOf()));
      const second = taskIn(await service.sendMessage(request, callOf()));
      assert.notEqual(first.id, second.id);
    });
  });
});

describe("listTasks", () => {
  it("takes a page size from 1 to 100, and 0 for the default", async () => {
    await withService(new ScriptedHandler(says(completed)), async ({ service }) => {
      for (const [asked, given] of [
        [undefined, 50],
        [0, 50],
        [1, 1],
        [100, 100],
      ] as const) {
        const request = asked === undefined ? {} : { pageSize: asked };
        assert.equal((await service.listTasks(request, callOf())).pageSize, given);
      }
      for (const pageSize of [-1, 101]) {
        const refused = service.listTasks({ pageSize }, callOf());
        await assert.rejects(refused, reasonOf("INVALID_PARAMS"));
      }
    });
  });

  it("refuses a page token that it did not make", async () => {
    await withService(new ScriptedHandler(says(completed)), async ({ service }) => {
      for (const pageToken of ["x", "../..", "zzzzzzzzzzzzzzzz-1"]) {
        const refused = service.listTasks({ pageToken }, callOf());
        await assert.rejects(refused, reasonOf("INVALID_PARAMS"));
      }
    });
  });
});
