/** What of an agent's account is news here. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HandlerEvent, Turn } from "../../../src/core/ports/handler.ts";
import { Relay } from "../../../src/handlers/upstream/relay.ts";
import type { StreamResponse, Task } from "../../../src/protocol/model.ts";
import {
  artifactOf,
  chunk,
  saying,
  snapshot,
  statusOf,
  taskIn,
  there,
  update,
  whole,
} from "../../support/fake-agent/told.ts";
import { turnOf } from "../turns.ts";

function relayOf(changes: Partial<Turn> = {}): Relay {
  const turn = turnOf("hi", changes);
  const state = turn.task ? "TASK_STATE_WORKING" : "TASK_STATE_SUBMITTED";
  return new Relay(turn, { state, maxEvents: 100 });
}

/** A stream of the task that has said some of an artifact, and was cut. */
function cutAfter(...texts: readonly string[]): Relay {
  const relay = relayOf();
  newsOf(relay, snapshot("WORKING"));
  for (const [index, text] of texts.entries())
    newsOf(relay, index === 0 ? whole(text) : chunk(text));
  relay.takeUp();
  return relay;
}

function newsOf(relay: Relay, ...responses: readonly StreamResponse[]): string[] {
  return responses.flatMap((response) => [...relay.of(response)].flatMap(shortOf));
}

function newsIn(relay: Relay, task: Task): string[] {
  return [...relay.ofTask(task)].flatMap(shortOf);
}

/** `a=text`, `a+text`, `WORKING`, `WORKING: text`, the names of history as `(text)`. */
function shortOf(event: HandlerEvent): string[] {
  switch (event.kind) {
    case "upstream":
      return [];
    case "message":
      return [`message ${textOf(event.message)}`];
    case "artifact": {
      const { artifactId = "" } = event.artifact;
      return [`${artifactId}${event.append ? "+" : "="}${textOf(event.artifact)}`];
    }
    case "status": {
      const said = event.message ? `: ${textOf(event.message)}` : "";
      const history = (event.history ?? []).map((message) => ` (${textOf(message)})`);
      return [event.state.replace("TASK_STATE_", "") + said + history.join("")];
    }
    case "task":
      return assert.fail("no whole tasks");
  }
}

function textOf({ parts }: { readonly parts: readonly { readonly text?: string }[] }): string {
  return parts.map(({ text }) => text).join("");
}

describe("artifacts of one stream", () => {
  it("come chunk by chunk, and not again with the snapshots that repeat them", () => {
    const relay = relayOf();
    const news = newsOf(
      relay,
      snapshot("WORKING"),
      whole("a"),
      chunk("b"),
      snapshot("WORKING", { artifacts: [artifactOf("a", "ab")] }),
      chunk("c"),
      snapshot("COMPLETED", { artifacts: [artifactOf("a", "a", "bc")] }),
      snapshot("COMPLETED", { artifacts: [artifactOf("a", "abc")] }),
    );
    assert.deepEqual(news, ["WORKING", "a=a", "a+b", "a+c", "COMPLETED"]);
  });

  it("begin anew when the agent sends one without append", () => {
    assert.deepEqual(newsOf(relayOf(), whole("draft"), whole("dr")), ["a=draft", "a=dr"]);
  });

  it("begin with their first chunk, whatever it is called", () => {
    assert.deepEqual(newsOf(relayOf(), chunk("a"), chunk("b")), ["a=a", "a+b"]);
  });

  it("get names where the agent gives none, the same ones at every snapshot", () => {
    const artifacts = [artifactOf("", "onetwo"), artifactOf("", "three")];
    const news = newsOf(
      relayOf(),
      whole("one", ""),
      chunk("two", ""),
      whole("three", ""),
      snapshot("COMPLETED", { artifacts }),
    );
    const told = ["unnamed-1=one", "unnamed-1+two", "unnamed-2=three", "COMPLETED"];
    assert.deepEqual(news, told);
  });

  it("are replaced where a snapshot tells another content", () => {
    const artifacts = [artifactOf("a", "other")];
    const news = newsOf(relayOf(), whole("text"), snapshot("COMPLETED", { artifacts }));
    assert.deepEqual(news, ["a=text", "a=other", "COMPLETED"]);
  });

  it("are as the agent has them in the end, also when that is less", () => {
    const artifacts = [artifactOf("a", "te")];
    const news = newsOf(relayOf(), whole("text"), snapshot("COMPLETED", { artifacts }));
    assert.deepEqual(news, ["a=text", "a=te", "COMPLETED"]);
  });

  it("are no longer texts when they carry anything else", () => {
    const relay = relayOf();
    newsOf(relay, whole("text"));
    const data = { artifactId: "a", parts: [{ text: "text" }, { data: { x: 1 } }] };
    const task = { ...taskIn("WORKING"), artifacts: [data] };
    const [event] = [...relay.ofTask(task)];
    assert.deepEqual(event, {
      kind: "artifact",
      artifact: { artifactId: "a", parts: [{ data: { x: 1 } }] },
      append: true,
    });
  });
});

describe("artifacts of a stream that was taken up again", () => {
  it("get what the snapshot adds, then the chunks after it", () => {
    const artifacts = [artifactOf("a", "abcd")];
    const news = newsOf(cutAfter("a", "b"), snapshot("WORKING", { artifacts }), chunk("e"));
    assert.deepEqual(news, ["a+cd", "a+e"]);
  });

  it("wait for another snapshot when the first chunk may be in the one before", () => {
    const relay = cutAfter("a", "b");
    const artifacts = [artifactOf("a", "abc")];
    assert.deepEqual(newsOf(relay, snapshot("WORKING", { artifacts }), chunk("c")), ["a+c"]);
    assert.ok(relay.isMissing);
    const task = taskIn("WORKING", { artifacts: [artifactOf("a", "abcd")] });
    assert.deepEqual(newsIn(relay, task), ["a+d"]);
    assert.deepEqual(newsOf(relay, chunk("d")), []);
  });

  it("are not doubled by an agent that tells everything from the start", () => {
    const news = newsOf(cutAfter("a", "b", "c"), whole("a"), chunk("b"), chunk("cd"), chunk("e"));
    assert.deepEqual(news, ["a+d", "a+e"]);
  });

  it("are not doubled where a snapshot lags behind the chunks", () => {
    const artifacts = [artifactOf("a", "ab")];
    const news = newsOf(cutAfter("a", "b", "c"), snapshot("WORKING", { artifacts }), chunk("cd"));
    assert.deepEqual(news, ["a+d"]);
  });

  it("wait for a snapshot where the agent goes on otherwise than before", () => {
    const relay = cutAfter("a", "b", "c");
    assert.deepEqual(newsOf(relay, whole("a"), chunk("x")), []);
    assert.ok(relay.isMissing);
    const task = taskIn("WORKING", { artifacts: [artifactOf("a", "ax")] });
    assert.deepEqual(newsIn(relay, task), ["a=ax"]);
  });

  it("are not known to be complete: agents lose chunks behind the snapshot, too", () => {
    const relay = cutAfter("a");
    newsOf(relay, snapshot("WORKING", { artifacts: [artifactOf("a", "a")] }));
    assert.ok(relay.endsEarly(update("COMPLETED")));
    assert.ok(!relay.endsEarly(update("WORKING")));
  });

  it("wait for a snapshot when they begin with a later chunk", () => {
    const relay = cutAfter("a");
    assert.deepEqual(newsOf(relay, chunk("y", "b")), []);
    assert.ok(relay.isMissing);
    newsOf(relay, snapshot("WORKING"));
    assert.deepEqual(newsOf(relay, chunk("z", "c")), ["c=z"]);
  });

  it("wait for a snapshot where the agent just goes on: nobody knows from where", () => {
    const relay = cutAfter("a", "b");
    assert.deepEqual(newsOf(relay, chunk("d")), []);
    assert.ok(relay.isMissing);
    const task = taskIn("WORKING", { artifacts: [artifactOf("a", "abcde")] });
    assert.deepEqual(newsIn(relay, task), ["a+cde"]);
    assert.ok(!relay.isMissing);
    assert.deepEqual(newsOf(relay, chunk("e")), []);
    assert.ok(relay.endsEarly(update("COMPLETED")));
    const ended = taskIn("COMPLETED", { artifacts: [artifactOf("a", "abcdef")] });
    assert.deepEqual(newsIn(relay, ended), ["a+f", "COMPLETED"]);
  });

  it("take chunks at once of what began on the new stream", () => {
    const relay = cutAfter("a");
    assert.deepEqual(newsOf(relay, whole("x", "b"), chunk("y", "b")), ["b=x", "b+y"]);
    assert.ok(!relay.isMissing);
  });

  it("come once when they come whole again", () => {
    assert.deepEqual(newsOf(cutAfter("text"), whole("text"), update("COMPLETED")), ["COMPLETED"]);
  });
});

describe("statuses", () => {
  it("are told once, with their messages", () => {
    const news = newsOf(
      relayOf(),
      snapshot("SUBMITTED"),
      update("WORKING", "one"),
      update("WORKING", "one"),
      update("WORKING"),
      update("WORKING", "two"),
      update("COMPLETED", "two"),
    );
    assert.deepEqual(news, ["WORKING: one", "WORKING: two", "COMPLETED: two"]);
  });

  it("are told again when an id comes with another text", () => {
    const said = (text: string) => ({
      statusUpdate: { ...there, status: statusOf("WORKING", saying(text, "1")) },
    });
    assert.deepEqual(newsOf(relayOf(), said("one"), said("two")), ["WORKING: one", "WORKING: two"]);
  });

  it("are not told again on a stream that was taken up again", () => {
    const relay = relayOf();
    newsOf(relay, update("WORKING", "one"), update("WORKING", "two"));
    relay.takeUp();
    const again = [update("WORKING", "one"), update("WORKING", "two"), update("WORKING", "three")];
    assert.deepEqual(newsOf(relay, ...again), ["WORKING: three"]);
  });

  it("know messages without ids by their text", () => {
    const said = (text: string) => ({
      statusUpdate: { ...there, status: statusOf("WORKING", saying(text, "")) },
    });
    const history = [saying("one", ""), saying("two", ""), saying("three", "")];
    const news = newsOf(relayOf(), said("one"), said("one"), said("two"), {
      ...snapshot("COMPLETED", { history, message: saying("done", "") }),
    });
    assert.deepEqual(news, ["WORKING: one", "WORKING: two", "COMPLETED: done (three)"]);
  });

  it("leave messages without ids to core, which names them", () => {
    const relay = relayOf();
    const history = [saying("past", "")];
    const [, event] = [...relay.of(snapshot("WORKING", { message: saying("now", ""), history }))];
    assert.ok(event?.kind === "status");
    assert.ok(event.message && !("messageId" in event.message));
    assert.match(event.history?.[0]?.messageId ?? "", /^[0-9a-f-]{36}$/);
  });

  it("carry no names of tasks at the agent", () => {
    const message = { ...saying("see"), referenceTaskIds: ["u-other"], taskId: "u-task-7" };
    const task = { ...taskIn("WORKING"), history: [message] };
    const text = JSON.stringify(
      [...relayOf().of({ task })].filter(({ kind }) => kind === "status"),
    );
    assert.doesNotMatch(text, /u-other/);
  });

  it("of a later version end nothing", () => {
    const relay = relayOf();
    assert.deepEqual(newsOf(relay, update("WORKING"), update("UNSPECIFIED")), ["WORKING"]);
    assert.equal(relay.told, "TASK_STATE_UNSPECIFIED");
  });

  it("that the turn's message answers are not its end", () => {
    const question = saying("which one?");
    const task = { ...taskIn("INPUT_REQUIRED", { message: question }), id: "task-1" };
    const relay = relayOf({ task, upstream: there });
    assert.deepEqual(newsOf(relay, snapshot("INPUT_REQUIRED", { message: question })), []);
    assert.equal(relay.told, undefined);
    const asked = snapshot("INPUT_REQUIRED", { message: question });
    assert.deepEqual(newsOf(relay, asked), ["INPUT_REQUIRED: which one?"]);
  });
});

describe("a relay", () => {
  it("refuses events of other tasks", () => {
    const relay = relayOf({ upstream: there });
    const strange = { statusUpdate: { ...update("WORKING").statusUpdate, taskId: "u-other" } };
    assert.throws(() => newsOf(relay, strange), { reason: "INVALID_AGENT_RESPONSE" });
  });

  it("follows the agent into another context", () => {
    const relay = relayOf({ upstream: there });
    const moved = { statusUpdate: { ...update("WORKING").statusUpdate, contextId: "u-2" } };
    const [event] = [...relay.of(moved)];
    assert.deepEqual(event, { kind: "upstream", taskId: "u-task-7", contextId: "u-2" });
  });

  it("refuses more events than were agreed upon", () => {
    const relay = new Relay(turnOf("hi"), { state: "TASK_STATE_SUBMITTED", maxEvents: 2 });
    newsOf(relay, update("WORKING"), whole("a"));
    assert.throws(() => newsOf(relay, chunk("b")), {
      reason: "INVALID_AGENT_RESPONSE",
      message: "the agent sent more than 2 events",
    });
  });
});
