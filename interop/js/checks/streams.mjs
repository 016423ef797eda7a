import assert from "node:assert/strict";
import { begun, byId, collect, send, story, textOf } from "../requests.mjs";

export async function streamChecks(client, check, { binding, version }) {
  await check("SendStreamingMessage answers a message as its only event", async () => {
    const events = await collect(client.sendMessageStream(send("hello")));
    assert.deepEqual(
      events.map(([kind]) => kind),
      ["message"],
    );
    assert.equal(textOf(events[0][1].parts), "hello back");
  });

  await check("SendStreamingMessage tells the whole story in order", async () => {
    const events = await collect(client.sendMessageStream(send("chunks")));
    assert.deepEqual(
      events.map(([kind]) => kind),
      [
        "task",
        "statusUpdate",
        "artifactUpdate",
        "artifactUpdate",
        "artifactUpdate",
        "statusUpdate",
      ],
    );
    assert.deepEqual(story(events), {
      states: ["SUBMITTED", "WORKING", "COMPLETED"],
      text: "one two three",
    });
    const chunks = events.filter(([kind]) => kind === "artifactUpdate").map(([, value]) => value);
    // On the protobuf bindings of 0.3 this SDK drops `append`.
    if (version === "1.0" || binding === "JSONRPC")
      assert.deepEqual(
        chunks.map((chunk) => [chunk.append, chunk.lastChunk]),
        [
          [false, false],
          [true, false],
          [true, true],
        ],
      );
    const ids = new Set(events.map(([kind, value]) => (kind === "task" ? value.id : value.taskId)));
    assert.equal(ids.size, 1);
    assert.equal(textOf(events[0][1].history[0].parts), "chunks");
  });

  await check("SendStreamingMessage ends at INPUT_REQUIRED and continues the task", async () => {
    const asked = await collect(client.sendMessageStream(send("ask")));
    assert.equal(story(asked).states.at(-1), "INPUT_REQUIRED");
    const taskId = asked[0][1].id;
    const done = await collect(client.sendMessageStream(send("answer Rome", { taskId })));
    assert.equal(done[0][0], "task");
    assert.equal(done[0][1].id, taskId);
    assert.equal(story(done).states.at(-1), "COMPLETED");
    assert.equal(story(done).text, "Rome");
  });

  await check("SendStreamingMessage ends with the failure of a task", async () => {
    const events = await collect(client.sendMessageStream(send("fail")));
    assert.equal(story(events).states.at(-1), "FAILED");
  });

  await check("SubscribeToTask starts with the task and follows it to its end", async () => {
    const id = await begun(client, "ticks");
    const [one, two] = await Promise.all([
      collect(client.resubscribeTask(byId(id))),
      collect(client.resubscribeTask(byId(id))),
    ]);
    for (const events of [one, two]) {
      assert.equal(events[0][0], "task");
      assert.equal(story(events).states.at(-1), "COMPLETED");
      assert.equal(story(events).text, "12345");
    }
  });

  await check("SubscribeToTask stays through INPUT_REQUIRED", async () => {
    const { id: taskId } = await client.sendMessage(send("ask"));
    let answer;
    const events = await collect(client.resubscribeTask(byId(taskId)), (_kind, _value, count) => {
      if (count === 1) answer = client.sendMessage(send("answer Oslo", { taskId }));
    });
    await answer;
    assert.equal(story(events).states[0], "INPUT_REQUIRED");
    assert.equal(story(events).states.at(-1), "COMPLETED");
  });

  await check("a client that leaves a stream does not stop its task", async () => {
    const id = await begun(client, "ticks");
    const events = await collect(client.resubscribeTask(byId(id)));
    assert.equal(story(events).states.at(-1), "COMPLETED");
    assert.equal(story(events).text, "12345");
  });
}
