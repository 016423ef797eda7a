/** Answers each text in its own way, as all agents of this folder do. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export class Executor {
  /** Of tasks under way: the text that they were begun with. */
  #slow = new Map();
  #canceled = new Set();
  #contexts = new Map();

  async execute({ taskId, contextId, userMessage, task }, bus) {
    const text = userMessage.parts.map((each) => each.text ?? "").join("");
    const [word, rest = ""] = text.split(/ (.*)/s);
    const to = { taskId, contextId };
    this.#contexts.set(taskId, contextId);
    if (word === "hello") return answer(bus, message(to, "hello back"));
    if (word === "canceled?")
      return answer(bus, message(to, this.#canceled.has(rest) ? "yes" : "no"));
    const status = (state, said) => bus.publish(statusUpdate(to, state, said));
    const artifact = (id, parts, chunk = {}) =>
      bus.publish(artifactUpdate(to, { id, parts, ...chunk }));
    if (!task)
      bus.publish({
        kind: "task",
        id: taskId,
        contextId,
        status: statusOf(to, "submitted"),
        history: [userMessage],
      });
    if (word === "ask") {
      status("input-required", "which city?");
      return bus.finished();
    }
    status("working");
    if (word === "fail") {
      status("failed", "broken on purpose");
      return bus.finished();
    }
    if (word === "slow") {
      this.#slow.set(taskId, rest);
      for (let tenth = 0; tenth < 300 && this.#slow.has(taskId); tenth++) await sleep(100);
      if (!this.#slow.delete(taskId)) return undefined;
    } else if (word === "ticks") {
      await sleep(300);
      for (let tick = 1; tick <= 5; tick++) {
        artifact("ticks", [part(String(tick))], { append: tick > 1, lastChunk: tick === 5 });
        await sleep(100);
      }
    } else if (word === "chunks") {
      const chunks = ["one ", "two ", "three"];
      for (const [index, chunk] of chunks.entries())
        artifact("story", [part(chunk)], { append: index > 0, lastChunk: index === 2 });
    } else if (word === "answer") artifact("answer", [part(rest)]);
    else artifact("echo", userMessage.parts);
    status("completed");
    return bus.finished();
  }

  cancelTask = async (taskId, bus) => {
    this.#canceled.add(this.#slow.get(taskId));
    this.#slow.delete(taskId);
    const contextId = this.#contexts.get(taskId) ?? "";
    bus.publish(statusUpdate({ taskId, contextId }, "canceled"));
    bus.finished();
  };
}

function answer(bus, said) {
  bus.publish(said);
  bus.finished();
}

const part = (text) => ({ kind: "text", text });

const message = (to, text) => ({
  kind: "message",
  ...to,
  messageId: randomUUID(),
  role: "agent",
  parts: [part(text)],
});

const statusOf = (to, state, said) => ({
  state,
  ...(said && { message: message(to, said) }),
  timestamp: new Date().toISOString(),
});

const statusUpdate = (to, state, said) => ({
  kind: "status-update",
  ...to,
  status: statusOf(to, state, said),
  final: !/submitted|working/.test(state),
});

const artifactUpdate = (to, { id, parts, append = false, lastChunk = true }) => ({
  kind: "artifact-update",
  ...to,
  append,
  lastChunk,
  artifact: { artifactId: id, name: id, parts },
});
