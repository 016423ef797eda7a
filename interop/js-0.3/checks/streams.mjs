import assert from "node:assert/strict";
import { begun, byId, collect, finals, send, story, textOf } from "../requests.mjs";

export async function streamChecks(client, check) {
  const kinds = (events) => events.map(({ kind }) => kind);
  const lastOnly = (events) => events.map((_event, index) => index === events.length - 1);

  await check("SendStreamingMessage answers a message as its only event", async () => {
    const events = await collect(client.sendMessageStream(send("hello")));
    assert.deepEqual(kinds(events), ["message"]);
    assert.equal(textOf(events[0].parts), "hello back");
  });

  await check("SendStreamingMessage tells the whole story in order", async () => {
    const events = await collect(client.sendMessageStream(send("chunks")));
    const chunks = ["artifact-update", "artifact-update", "artifact-update"];
    assert.deepEqual(kinds(events), ["task", "status-update", ...chunks, "status-update"]);
    assert.deepEqual(story(events), {
      states: ["submitted", "working", "completed"],
      text: "one two three",
    });
    assert.deepEqual(finals(events), lastOnly(events));
    const ids = new Set(events.map(({ kind, id, taskId }) => (kind === "task" ? id : taskId)));
    assert.equal(ids.size, 1);
    assert.equal(textOf(events[0].history[0].parts), "chunks");
  });

  await check("SendStreamingMessage ends at INPUT_REQUIRED and continues the task", async () => {
    const asked = await collect(client.sendMessageStream(send("ask")));
    assert.equal(story(asked).states.at(-1), "input-required");
    assert.deepEqual(finals(asked), lastOnly(asked));
    const taskId = asked[0].id;
    const done = await collect(client.sendMessageStream(send("answer Rome", { taskId })));
    assert.equal(done[0].kind, "task");
    assert.equal(done[0].id, taskId);
    assert.equal(story(done).states.at(-1), "completed");
    assert.equal(story(done).text, "Rome");
  });

  await check("SendStreamingMessage ends with the failure of a task", async () => {
    const events = await collect(client.sendMessageStream(send("fail")));
    assert.equal(story(events).states.at(-1), "failed");
    assert.deepEqual(finals(events), lastOnly(events));
  });

  await check("SubscribeToTask starts with the task and follows it to its end", async () => {
    const id = await begun(client, "ticks");
    const streams = [1, 2].map(() => collect(client.resubscribeTask(byId(id))));
    for (const events of await Promise.all(streams)) {
      assert.equal(events[0].kind, "task");
      assert.equal(story(events).states.at(-1), "completed");
      assert.equal(story(events).text, "12345");
      assert.deepEqual(finals(events), lastOnly(events));
    }
  });

  await check("SubscribeToTask stays through INPUT_REQUIRED", async () => {
    const { id: taskId } = await client.sendMessage(send("ask"));
    let answer;
    const events = await collect(client.resubscribeTask(byId(taskId)), (_event, count) => {
      if (count === 1) answer = client.sendMessage(send("answer Oslo", { taskId }));
    });
    await answer;
    assert.equal(story(events).states[0], "input-required");
    assert.equal(story(events).states.at(-1), "completed");
    assert.deepEqual(finals(events), lastOnly(events));
  });

  await check("a client that leaves a stream does not stop its task", async () => {
    const id = await begun(client, "ticks");
    const events = await collect(client.resubscribeTask(byId(id)));
    assert.equal(story(events).states.at(-1), "completed");
    assert.equal(story(events).text, "12345");
  });
}
