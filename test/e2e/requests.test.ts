/** What a request says, on every door alike. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import type { Task } from "../../src/protocol/model.ts";
import { refused, type Door } from "../support/doors.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { Puppet, ScriptedHandler, working } from "../support/scripted-handler.ts";
import { eachDoor } from "./each-door.ts";
import { rawGrpc } from "./raw-grpc.ts";
import { artifactTexts, asTask, atOnce, messageOf, taskIn } from "./requests.ts";

let gateway: RunningGateway;
const handler = new ScriptedHandler(repeating);

/** Says the parts of the message again, in an artifact. */
async function* repeating({ message }: Turn): AsyncGenerator<HandlerEvent> {
  yield { kind: "status", state: "TASK_STATE_WORKING" };
  yield { kind: "artifact", artifact: { artifactId: "same", parts: message.parts } };
  yield { kind: "status", state: "TASK_STATE_COMPLETED" };
}

before(async () => {
  gateway = await runGateway({ agents: { agent: { handler, settings: { cancelGrace: "20ms" } } } });
});
after(async () => {
  await gateway.stop();
  assert.deepEqual(gateway.log.errors, []);
});

async function waitingTask(door: Door, contextId?: string): Promise<Task> {
  const puppet = new Puppet();
  puppet.say(working);
  handler.script = puppet.script;
  const request = atOnce("wait", contextId === undefined ? {} : { contextId });
  const task = taskIn(await door.call("sendMessage", request));
  handler.script = repeating;
  return task;
}

eachDoor(
  () => gateway,
  (door, others) => {
    // Explicit null.
    test("a null member is as if it were absent", async () => {
      if (door().binding === "grpc") return;
      const message = {
        messageId: "m1",
        role: "ROLE_USER",
        parts: [{ text: "hi", metadata: null }],
      };
      const nulls = { taskId: null, contextId: null, metadata: null, extensions: null };
      const request = {
        message: { ...message, ...nulls, referenceTaskIds: null },
        configuration: null,
        metadata: null,
        tenant: null,
      };
      const task = taskIn(await door().call("sendMessage", request));
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
      assert.doesNotMatch(JSON.stringify(task), /null/);
      const [said] = task.history ?? [];
      assert.deepEqual(Object.keys(said ?? {}).sort(), [
        "contextId",
        "messageId",
        "parts",
        "role",
        "taskId",
      ]);
    });

    // Contexts and task ids.
    test("a context is kept verbatim, and taken from the task where only that is named", async () => {
      for (const contextId of ["not a uuid / ünï", "x".repeat(1000), "%2e%2e"]) {
        const task = await waitingTask(door(), contextId);
        assert.equal(task.contextId, contextId);
        const { tasks } = await door().call("listTasks", { contextId });
        assert((tasks as Task[]).some(({ id }) => id === task.id));
      }
    });

    test("a message to a task in another context is refused, one that names only the task goes to it", async () => {
      const task = await waitingTask(door());
      const other = messageOf("hi", { taskId: task.id, contextId: "other" });
      await refused(door(), door().call("sendMessage", other), "INVALID_PARAMS");
      const follow = atOnce("more", { taskId: task.id });
      const answer = taskIn(await door().call("sendMessage", follow));
      assert.deepEqual([answer.id, answer.contextId], [task.id, task.contextId]);
    });

    test("a message to a task that is not there creates none", async () => {
      const contextId = `made-up-${door().binding}`;
      const request = messageOf("hi", { taskId: "made-up", contextId });
      await refused(door(), door().call("sendMessage", request), "TASK_NOT_FOUND");
      assert.equal((await door().call("listTasks", { contextId }))["totalSize"], 0);
      assert.equal(
        handler.turns.some(({ contextId: used }) => used === contextId),
        false,
      );
    });

    // ListTasks without its defaults.
    test("a list has all four members, empty or not, and artifacts only when they are asked for", async () => {
      const empty = await door().call("listTasks", { contextId: "nobody" });
      assert.deepEqual(empty, { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 });
      const { contextId = "" } = taskIn(await door().call("sendMessage", messageOf("hi")));
      const list = async (request: object) => {
        const { tasks, ...rest } = await door().call("listTasks", { contextId, ...request });
        assert.deepEqual(rest, { nextPageToken: "", pageSize: 50, totalSize: 1 });
        return (tasks as Task[])[0];
      };
      assert.equal("artifacts" in ((await list({})) ?? {}), false);
      assert.equal((await list({ includeArtifacts: true }))?.artifacts?.length, 1);
    });

    // States to filter by.
    test("a state to filter by is taken by name, and nothing else is no filter", async () => {
      const task = await waitingTask(door());
      const { contextId = "" } = task;
      await door().call("sendMessage", messageOf("hi", { contextId }));
      for (const [status, total] of [
        ["TASK_STATE_WORKING", 1],
        ["TASK_STATE_COMPLETED", 1],
        ["TASK_STATE_REJECTED", 0],
      ] as const)
        assert.equal((await door().call("listTasks", { contextId, status }))["totalSize"], total);
      if (door().binding === "grpc") return;
      for (const status of ["working", "TASK_STATE_RUNNING", "task_state_working", "99", "-1"]) {
        const { fields, message } = await refused(
          door(),
          door().call("listTasks", { contextId, status }),
          "INVALID_PARAMS",
        );
        assert.deepEqual(fields, ["status"]);
        assert.match(message, /TASK_STATE_WORKING/);
      }
      assert.equal((await door().call("listTasks", { contextId, status: "2" }))["totalSize"], 1);
    });

    test("a page size, a history length or a page token out of range is named, not mended", async () => {
      for (const [field, value] of [
        ["pageSize", 101],
        ["pageSize", -1],
        ["pageToken", "nonsense"],
        ["historyLength", -1],
      ] as const) {
        const answer = door().call("listTasks", { [field]: value });
        const { fields } = await refused(door(), answer, "INVALID_PARAMS");
        assert.deepEqual(fields, [field]);
      }
      const get = door().call("getTask", { id: "x", historyLength: -1 });
      assert.deepEqual((await refused(door(), get, "INVALID_PARAMS")).fields, ["historyLength"]);
    });

    // A retried message.
    test("the same message sent twice makes two tasks that both work", async () => {
      const request = messageOf("hi");
      const [one, two] = await Promise.all([
        door().call("sendMessage", request),
        door().call("sendMessage", request),
      ]);
      assert.notEqual(taskIn(one).id, taskIn(two).id);
      for (const answer of [one, two]) assert.deepEqual(artifactTexts(taskIn(answer)), ["hi"]);
    });

    // Null in metadata and data, base64.
    test("data, null included, and bytes come out of every door as they went in", async () => {
      const bytes = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a]).toString("base64");
      const metadata = { a: null, b: { c: null }, d: [1, null, "x"] };
      const parts = [
        { data: null },
        { data: [null] },
        { data: 0 },
        { data: false },
        { data: "" },
        { data: {} },
        { data: { deep: [{ x: 1.5e300 }] } },
        { raw: bytes, filename: "f", mediaType: "application/octet-stream" },
        { text: "" },
        { text: "ünï 😀 \u0000", metadata },
      ];
      const sent = messageOf("", { parts, metadata });
      const task = taskIn(await door().call("sendMessage", { ...sent, metadata }));
      for (const reader of [door(), ...others()]) {
        const read = asTask(await reader.call("getTask", { id: task.id }));
        assert.deepEqual(read.history?.[0]?.parts, parts, reader.name);
        assert.deepEqual(read.history?.[0]?.metadata, metadata, reader.name);
        assert.deepEqual(read.artifacts?.[0]?.parts, parts, reader.name);
      }
    });

    test("base64 of either alphabet, padded or not, is the same bytes, and other text is refused", async () => {
      if (door().binding === "grpc") return;
      const raw = Buffer.from([0xfb, 0xff, 0xfe, 0x80]).toString("base64");
      for (const spelling of [
        raw,
        raw.replace(/=+$/, ""),
        raw.replaceAll("+", "-").replaceAll("/", "_"),
      ]) {
        const request = messageOf("", { parts: [{ raw: spelling }] });
        const task = taskIn(await door().call("sendMessage", request));
        assert.deepEqual(task.history?.[0]?.parts, [{ raw }]);
      }
      for (const wrong of ["a", "ab*=", "äää"]) {
        const request = messageOf("", { parts: [{ raw: wrong }] });
        const answer = door().call("sendMessage", request);
        const { fields } = await refused(door(), answer, "INVALID_PARAMS");
        assert.deepEqual(fields, ["message.parts[0].raw"]);
      }
    });

    // Unknown fields and enum values.
    test("fields of a later release are passed over", async () => {
      const unknown = { futureField: 1, future_list: [{ x: null }] };
      const request = { ...messageOf("hi", { ...unknown } as object), ...unknown };
      const task = taskIn(await door().call("sendMessage", request));
      assert.doesNotMatch(JSON.stringify(task), /future/);
    });

    // Markup.
    test("markup in an agent's text is data", async () => {
      const markup = '<img src=x onerror="alert(1)"></script><!--\u2028';
      const task = taskIn(await door().call("sendMessage", messageOf(markup)));
      assert.deepEqual(artifactTexts(task), [markup]);
    });

    test("what a request lacks is named field by field, and no task comes of it", async () => {
      const contextId = `lacking-${door().binding}`;
      const lacking = { contextId, parts: [{ text: "" }, {}] };
      for (const answer of [
        () => door().call("sendMessage", { message: lacking }),
        () => door().stream("sendStreamingMessage", { message: lacking }).next(),
      ]) {
        const { fields } = await refused(door(), answer(), "INVALID_PARAMS");
        assert.deepEqual([...fields].sort(), [
          "message.messageId",
          "message.parts[1]",
          "message.role",
        ]);
      }
      await refused(door(), door().call("sendMessage", {}), "INVALID_PARAMS");
      await refused(
        door(),
        door().call("getTask", {}),
        door().binding === "http" ? "TASK_NOT_FOUND" : "INVALID_PARAMS",
      );
      assert.equal((await door().call("listTasks", { contextId }))["totalSize"], 0);
    });

    test("another agent than the address says is refused", async () => {
      const answer = door().call("sendMessage", { ...messageOf("hi"), tenant: "nobody" });
      assert.deepEqual((await refused(door(), answer, "INVALID_PARAMS")).fields, ["tenant"]);
    });

    // Paging over changes.
    test("paging goes on past a task that moved or is the cursor itself, without repeats", async () => {
      const contextId = `paging-${door().binding}`;
      const ids: string[] = [];
      for (let n = 0; n < 9; n++) ids.push((await waitingTask(door(), contextId)).id);
      const seen: string[] = [];
      const page = async (pageToken: string): Promise<string> => {
        const answer = await door().call("listTasks", { contextId, pageSize: 3, pageToken });
        seen.push(...(answer["tasks"] as Task[]).map(({ id }) => id));
        return String(answer["nextPageToken"]);
      };
      const second = await page("");
      const [cursor] = seen.slice(-1);
      const moved = ids[0];
      await door().call("cancelTask", { id: moved });
      await door().call("cancelTask", { id: cursor });
      assert.equal(await page(await page(second)), "");
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(new Set(seen), new Set(ids.filter((id) => id !== moved)));
    });

    // Times as text.
    test("a time to filter by is an instant, whatever its notation, and includes itself", async () => {
      const { contextId = "", status } = taskIn(await door().call("sendMessage", messageOf("hi")));
      const instant = new Date(status.timestamp ?? "");
      const inZone = new Date(instant.getTime() + 7_200_000).toISOString().replace("Z", "+02:00");
      const spellings =
        door().binding === "grpc" ? [] : [inZone, status.timestamp?.replace("Z", "000Z")];
      for (const statusTimestampAfter of [instant.toISOString(), ...spellings]) {
        const { totalSize } = await door().call("listTasks", { contextId, statusTimestampAfter });
        assert.equal(totalSize, 1, statusTimestampAfter);
      }
      const statusTimestampAfter = new Date(instant.getTime() + 1).toISOString();
      const later = await door().call("listTasks", { contextId, statusTimestampAfter });
      assert.equal(later["totalSize"], 0);
      assert.match(status.timestamp ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });
  },
);

// Unknown fields and enum values.
test("a gRPC request with unknown fields is served, one with an unknown enum value is refused", async () => {
  const unknownField = Buffer.from([0xfa, 0x07, 0x03, 1, 2, 3]);
  const served = await rawGrpc(gateway.port, "ListTasks", unknownField);
  assert.equal(served.status, 0, served.message);
  const refusedCall = await rawGrpc(gateway.port, "ListTasks", Buffer.from([0x18, 77]));
  assert.equal(refusedCall.status, 3);
});

// Markup.
test("markup in a request comes back as JSON, which no browser renders", async () => {
  const markup = "<img src=x onerror=alert(1)>";
  for (const path of [
    `/${encodeURIComponent(markup)}`,
    `/tasks/${encodeURIComponent(markup)}`,
    `/a2a/${encodeURIComponent(markup)}/tasks`,
  ]) {
    const { headers, status } = await sendHttp(gateway.port, { path });
    assert.equal(headers["content-type"], "application/json");
    assert.equal(status, 404);
  }
});
