import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TurnLimits } from "../../../src/core/ports/agent.ts";
import type { Handler, HandlerEvent, Turn } from "../../../src/core/ports/handler.ts";
import type { SendMessageResponse, Task } from "../../../src/protocol/model.ts";
import { deferred, type Deferred } from "../../../src/core/deferred.ts";
import { A2AError, type ErrorReason } from "../../../src/protocol/errors.ts";
import {
  artifact,
  completed,
  inputRequired,
  message,
  working,
} from "../../support/scripted-handler.ts";
import {
  callOf,
  collect,
  named,
  requestOf,
  shortOf,
  startService,
  taskIn,
  textsOf,
  withConfiguration,
  type Options,
  type Running,
} from "../../support/task-service.ts";

/** Turns run until the test lets them go on; how each begins is told by its message. */
class Stage implements Handler {
  /** The texts of the messages whose turns have begun, in their order. */
  readonly begun: string[] = [];
  readonly #gates = new Map<string, Deferred<void>>();
  readonly #begins = new Map<string, Deferred<void>>();
  most = 0;
  #running = 0;

  async *handle(turn: Turn): AsyncGenerator<HandlerEvent> {
    const text = textOf(turn);
    this.begun.push(text);
    this.most = Math.max(this.most, ++this.#running);
    this.#begin(text).resolve();
    await this.#gate(text).promise;
    this.#running--;
    if (text.startsWith("ask")) yield inputRequired;
    else if (text.startsWith("throw")) throw new Error("broken");
    else if (text.startsWith("answer")) yield message("done");
    else yield artifact(text);
  }

  /** Resolves once the turn of that message has begun. */
  hasBegun(text: string): Promise<void> {
    return this.#begin(text).promise;
  }

  /** Lets the turn of that message end, now or once it begins. */
  letGo(...texts: readonly string[]): void {
    for (const text of texts) this.#gate(text).resolve();
  }

  #begin(text: string): Deferred<void> {
    return inMap(this.#begins, text);
  }

  #gate(text: string): Deferred<void> {
    return inMap(this.#gates, text);
  }
}

function inMap(map: Map<string, Deferred<void>>, text: string): Deferred<void> {
  const known = map.get(text) ?? deferred<void>();
  map.set(text, known);
  return known;
}

function textOf({ message: { parts } }: Turn): string {
  return parts.map(({ text }) => text).join("");
}

async function onStage(
  turns: Partial<TurnLimits>,
  run: (running: Running, stage: Stage) => Promise<void>,
  options: Options = {},
): Promise<void> {
  const stage = new Stage();
  const running = await startService(stage, { turns, ...options });
  try {
    await run(running, stage);
  } finally {
    await running.stop();
  }
}

const send = ({ service }: Running, text: string, id = "") =>
  service.sendMessage(requestOf(text), callOf(id === "" ? {} : { principal: named(id) }));

const sendAtOnce = async ({ service }: Running, text: string): Promise<Task> =>
  taskIn(
    await service.sendMessage(
      withConfiguration(requestOf(text), { returnImmediately: true }),
      callOf(),
    ),
  );

const stateOf = (answer: SendMessageResponse) => taskIn(answer).status.state;

function refusedAs(reason: ErrorReason) {
  return (thrown: unknown) => {
    assert.ok(A2AError.is(thrown), String(thrown));
    const error = A2AError.from(thrown);
    assert.equal(error.reason, reason, error.message);
    assert.equal(error.retryAfter, 1);
    return true;
  };
}

describe("places for turns", () => {
  it("lets so many turns run, and the others in their order, however each of them ends", async () => {
    await onStage({ running: 2 }, async (running, stage) => {
      const texts = ["throw 1", "answer 2", "ask 3", "throw 4", "say 5", "say 6"];
      const sent = texts.map((text) => send(running, text));
      await stage.hasBegun("answer 2");
      assert.equal((await running.service.listTasks({}, callOf())).totalSize, 0);
      assert.deepEqual(stage.begun, texts.slice(0, 2));
      for (const text of texts) stage.letGo(text);
      await Promise.all(sent);
      assert.deepEqual(stage.begun, texts);
      assert.equal(stage.most, 2);
    });
  });

  it("frees the place of a turn that hangs past its timeout", async () => {
    await onStage(
      { running: 1 },
      async (running, stage) => {
        const hanging = send(running, "hang");
        stage.letGo("next");
        assert.equal(stateOf(await send(running, "next")), "TASK_STATE_COMPLETED");
        assert.equal(stateOf(await hanging), "TASK_STATE_FAILED");
        stage.letGo("hang");
      },
      { agent: { turnTimeoutMs: 20 } },
    );
  });

  it("keeps nobody waiting for another's thousand messages", async () => {
    const turns = { running: 1, queue: 10_000 };
    const all = async (running: Running, stage: Stage): Promise<void> => {
      const sent = Array.from({ length: 1_000 }, (_, index) => send(running, `a${index}`, "ann"));
      sent.push(send(running, "b0", "bob"), send(running, "b1", "bob"), send(running, "c0", "cid"));
      await stage.hasBegun("a0");
      for (let index = 0; index < 1_000; index++) stage.letGo(`a${index}`);
      stage.letGo("b0", "b1", "c0");
      await Promise.all(sent);
      assert.deepEqual(stage.begun.slice(0, 7), ["a0", "a1", "b0", "c0", "a2", "b1", "a3"]);
    };
    await onStage(turns, all, { runningTasks: 2_000 });
  });

  it("lets one caller run so many and no more, though there is room", async () => {
    await onStage({ running: 3, perPrincipal: 1 }, async (running, stage) => {
      const sent = ["a1", "a2", "b1"].map((text) => send(running, text, text.slice(0, 1)));
      await stage.hasBegun("b1");
      assert.deepEqual(stage.begun, ["a1", "b1"]);
      stage.letGo("a1", "a2", "b1");
      await Promise.all(sent);
      assert.deepEqual(stage.begun, ["a1", "b1", "a2"]);
    });
  });

  it("takes what an agent says instead of what counts for all", async () => {
    await onStage(
      { running: 1, queue: 0 },
      async (running, stage) => {
        const sent = ["1", "2"].map((text) => send(running, text));
        await stage.hasBegun("2");
        await assert.rejects(send(running, "3"), refusedAs("UNAVAILABLE"));
        stage.letGo("1", "2");
        await Promise.all(sent);
      },
      { agent: { turns: { running: 2 } } },
    );
  });

  it("refuses what can neither run nor wait, and stores nothing of it", async () => {
    await onStage({ running: 1, queue: 1 }, async (running, stage) => {
      const sent = ["1", "2"].map((text) => send(running, text));
      const refused = [send(running, "3"), sendAtOnce(running, "4")];
      for (const each of refused) await assert.rejects(each, refusedAs("UNAVAILABLE"));
      const stream = collect(running.service.sendStreamingMessage(requestOf("5"), callOf()));
      await assert.rejects(stream, refusedAs("UNAVAILABLE"));
      stage.letGo("1", "2");
      await Promise.all(sent);
      assert.equal((await running.service.listTasks({}, callOf())).totalSize, 2);
    });
  });

  it("leaves room in the line to others, and says who is to blame", async () => {
    await onStage({ running: 1, queue: 10 }, async (running, stage) => {
      const texts = Array.from({ length: 6 }, (_, index) => `a${index}`);
      const sent = texts.map((text) => send(running, text, "ann"));
      await assert.rejects(send(running, "more", "ann"), refusedAs("RATE_LIMITED"));
      sent.push(send(running, "b0", "bob"));
      stage.letGo(...texts, "b0");
      await Promise.all(sent);
    });
  });

  it("gives up a message for which no place comes free, before anything is stored", async () => {
    await onStage({ running: 1, wait: 20 }, async (running, stage) => {
      const first = send(running, "1");
      await assert.rejects(send(running, "2"), refusedAs("UNAVAILABLE"));
      stage.letGo("1", "2", "3");
      await first;
      assert.equal(stateOf(await send(running, "3")), "TASK_STATE_COMPLETED");
      assert.deepEqual(stage.begun, ["1", "3"]);
      assert.equal((await running.service.listTasks({}, callOf())).totalSize, 2);
    });
  });

  it("answers returnImmediately with a SUBMITTED task that runs when its place comes", async () => {
    await onStage({ running: 1 }, async (running, stage) => {
      const first = send(running, "1");
      const task = await sendAtOnce(running, "2");
      assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
      assert.deepEqual(stage.begun, ["1"]);
      const events = collect(running.service.subscribeToTask({ id: task.id }, callOf()));
      stage.letGo("1", "2");
      await first;
      assert.deepEqual((await events).map(shortOf), [
        "task SUBMITTED",
        "artifact 2",
        "status COMPLETED",
      ]);
    });
  });

  it("rejects a waiting task that has been shown when no place comes free for it", async () => {
    await onStage({ running: 1, wait: 400 }, async (running, stage) => {
      const first = send(running, "1");
      const { id } = await sendAtOnce(running, "2");
      const events = await collect(running.service.subscribeToTask({ id }, callOf()));
      assert.deepEqual(events.map(shortOf), ["task SUBMITTED", "status REJECTED"]);
      stage.letGo("1");
      await first;
      assert.deepEqual(stage.begun, ["1"]);
    });
  });

  it("lets a task ask again when no place comes free for the answer", async () => {
    await onStage({ running: 1, wait: 400 }, async (running, stage) => {
      stage.letGo("ask");
      const asking = taskIn(await send(running, "ask"));
      const first = send(running, "1");
      const { service } = running;
      const answer = requestOf("2", { taskId: asking.id });
      const shown = taskIn(
        await service.sendMessage(withConfiguration(answer, { returnImmediately: true }), callOf()),
      );
      assert.equal(shown.status.state, "TASK_STATE_WORKING");
      const until = async (): Promise<Task> => {
        const task = await service
          .getTask({ id: asking.id }, callOf())
          .then((t) => taskIn({ task: t }));
        return task.status.state === "TASK_STATE_WORKING" ? until() : task;
      };
      const again = await until();
      assert.equal(again.status.state, "TASK_STATE_INPUT_REQUIRED");
      assert.deepEqual(textsOf(again.history), ["ask", "which one?", "2"]);
      stage.letGo("1");
      await first;
    });
  });

  it("cancels a waiting task without a word to the handler, and lets the next one have its turn", async () => {
    await onStage({ running: 1 }, async (running, stage) => {
      const first = send(running, "1");
      const { id } = await sendAtOnce(running, "2");
      const third = send(running, "3");
      const canceled = taskIn({ task: await running.service.cancelTask({ id }, callOf()) });
      assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
      stage.letGo("1", "3");
      await Promise.all([first, third]);
      assert.deepEqual(stage.begun, ["1", "3"]);
    });
  });

  it("tells whoever waits to answer a question that its task was canceled", async () => {
    await onStage({ running: 1 }, async (running, stage) => {
      stage.letGo("ask");
      const { id } = taskIn(await send(running, "ask"));
      const first = send(running, "1");
      const answer = running.service.sendMessage(requestOf("2", { taskId: id }), callOf());
      const refused = assert.rejects(answer, /has ended/);
      await running.service.listTasks({}, callOf());
      await running.service.cancelTask({ id }, callOf());
      await refused;
      stage.letGo("1");
      await first;
    });
  });

  it("counts turns that wait behind one of their own task, and runs them one after another", async () => {
    await onStage({ running: 2, queue: 1 }, async (running, stage) => {
      const { id } = await sendAtOnce(running, "ask 1");
      const further = running.service.sendMessage(requestOf("2", { taskId: id }), callOf());
      const other = send(running, "3");
      await stage.hasBegun("3");
      await assert.rejects(send(running, "4"), refusedAs("UNAVAILABLE"));
      stage.letGo("ask 1", "2", "3");
      assert.equal(stateOf(await further), "TASK_STATE_COMPLETED");
      await other;
      assert.equal(stage.most, 2);
    });
  });

  for (const [name, turns] of [
    ["while places are free", { running: 2, queue: 3 }],
    ["where turns have no limit", { queue: 3 }],
  ] as const)
    it(`lets no more wait behind a turn of their task than may, ${name}`, async () => {
      await onStage(turns, async (running, stage) => {
        const { id } = await sendAtOnce(running, "ask 1");
        const sent = ["ask 2", "ask 3", "ask 4", "5", "6"].map((text) =>
          running.service.sendMessage(requestOf(text, { taskId: id }), callOf()),
        );
        await Promise.all(
          sent.slice(3).map((each) => assert.rejects(each, refusedAs("UNAVAILABLE"))),
        );
        stage.letGo("ask 1", "ask 2", "ask 3", "ask 4", "other");
        await Promise.all(sent.slice(0, 3));
        assert.deepEqual(stage.begun, ["ask 1", "ask 2", "ask 3", "ask 4"]);
        await send(running, "other");
      });
    });

  it("ends those who wait when the gateway stops", async () => {
    await onStage({ running: 1 }, async (running, stage) => {
      const { service, store } = running;
      const first = assert.rejects(send(running, "1"), /stopping/);
      const { id } = await sendAtOnce(running, "2");
      const waiting = send(running, "3");
      const ended = Promise.all([first, assert.rejects(waiting, /stopping/)]);
      await service.stop(0);
      await ended;
      assert.deepEqual(stage.begun, ["1"]);
      const stored = await store.load("test", "", id);
      assert.equal(stored?.status.state, "TASK_STATE_FAILED");
    });
  });

  it("has a place for a task that ends while its turn goes on", async () => {
    const handler: Handler = {
      async *handle(turn) {
        yield working;
        yield completed;
        await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
      },
    };
    const running = await startService(handler, { turns: { running: 1 } });
    for (const text of ["1", "2"])
      assert.equal(stateOf(await send(running, text)), "TASK_STATE_COMPLETED");
    await running.stop();
  });
});
