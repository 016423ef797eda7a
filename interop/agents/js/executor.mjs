/** Answers each text in its own way, as all agents of this folder do. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Role, TaskState } from "@a2a-js/sdk";
import { AgentEvent } from "@a2a-js/sdk/server";

export class Executor {
  /** Of tasks under way: the text that they were begun with. */
  #slow = new Map();
  #canceled = new Set();
  #contexts = new Map();

  async execute({ taskId, contextId, userMessage, task }, bus) {
    const text = userMessage.parts.map(({ content }) => textIn(content)).join("");
    const [word, rest = ""] = text.split(/ (.*)/s);
    const to = { taskId, contextId };
    this.#contexts.set(taskId, contextId);
    if (word === "hello") return bus.publish(AgentEvent.message(message(to, "hello back")));
    if (word === "canceled?") {
      const answer = this.#canceled.has(rest) ? "yes" : "no";
      return bus.publish(AgentEvent.message(message(to, answer)));
    }
    const status = (state, said) => bus.publish(statusUpdate(to, state, said));
    const artifact = (id, parts, chunk = {}) =>
      bus.publish(artifactUpdate(to, { id, parts, ...chunk }));
    // The SDK wants the task first, in every turn.
    bus.publish(AgentEvent.task(task ?? submitted(to, userMessage)));
    if (word === "ask") return status(TaskState.TASK_STATE_INPUT_REQUIRED, "which city?");
    status(TaskState.TASK_STATE_WORKING);
    if (word === "fail") return status(TaskState.TASK_STATE_FAILED, "broken on purpose");
    if (word === "slow") {
      this.#slow.set(taskId, rest);
      for (let tenth = 0; tenth < 300 && this.#slow.has(taskId); tenth++) await sleep(100);
      return this.#slow.delete(taskId) && status(TaskState.TASK_STATE_COMPLETED);
    }
    if (word === "ticks") {
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
    status(TaskState.TASK_STATE_COMPLETED);
  }

  cancelTask = async (taskId, bus) => {
    this.#canceled.add(this.#slow.get(taskId));
    this.#slow.delete(taskId);
    const contextId = this.#contexts.get(taskId) ?? "";
    bus.publish(statusUpdate({ taskId, contextId }, TaskState.TASK_STATE_CANCELED));
  };
}

const textIn = (content) => (content?.$case === "text" ? content.value : "");

const part = (value) => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "",
});

const message = (to, text) => ({
  ...to,
  messageId: randomUUID(),
  role: Role.ROLE_AGENT,
  parts: [part(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const statusOf = (to, state, said) => ({
  state,
  message: said && message(to, said),
  timestamp: new Date().toISOString(),
});

const submitted = (to, userMessage) => ({
  id: to.taskId,
  contextId: to.contextId,
  status: statusOf(to, TaskState.TASK_STATE_SUBMITTED),
  artifacts: [],
  history: [userMessage],
  metadata: undefined,
});

const statusUpdate = (to, state, said) =>
  AgentEvent.statusUpdate({ ...to, status: statusOf(to, state, said), metadata: undefined });

const artifactUpdate = (to, { id, parts, append = false, lastChunk = true }) =>
  AgentEvent.artifactUpdate({
    ...to,
    append,
    lastChunk,
    metadata: undefined,
    artifact: {
      artifactId: id,
      name: id,
      description: "",
      parts,
      metadata: undefined,
      extensions: [],
    },
  });
