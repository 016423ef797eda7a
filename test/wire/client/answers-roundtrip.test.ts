/** What a server writes, a client of the same version reads as it was, but for what docs/versions.md lists. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc, { type Arbitrary } from "fast-check";
import type { Message, StreamResponse, Task } from "../../../src/protocol/model.ts";
import { modelOf, textOf } from "../../../src/protocol/ready-made.ts";
import { isTerminal } from "../../../src/protocol/states.ts";
import type { ClientDialect } from "../../../src/wire/client.ts";
import type { Codecs, Dialect } from "../../../src/wire/dialect.ts";
import { sendMessageRequest, task } from "../arbitraries.ts";
import { readable, readableMessage } from "../v0_3/proto-losses.ts";
import { clients, servers } from "./support.ts";

type Binding = "jsonrpc" | "rest" | "grpc";

const response: Arbitrary<StreamResponse> = fc.oneof(
  task.map((model) => ({ task: model })),
  sendMessageRequest.map(({ message }) => ({ message })),
  task.map(({ id, contextId = "", status, metadata }) => ({
    statusUpdate: { taskId: id, contextId, status, ...(metadata && { metadata }) },
  })),
  task
    .filter(({ artifacts }) => artifacts !== undefined)
    .map(({ id, contextId = "", artifacts: [artifact] = [] }) => ({
      artifactUpdate: {
        taskId: id,
        contextId,
        artifact: artifact ?? { artifactId: "a", parts: [] },
        append: true,
        lastChunk: true,
      },
    })),
);

for (const version of ["1.0", "0.3"] as const)
  for (const binding of ["jsonrpc", "rest", "grpc"] as const) {
    const client = clients[version];
    const { codecs } = servers[version][binding];

    test(`tasks of ${version} come back over ${binding}`, () => {
      fc.assert(
        fc.property(task, (model) => {
          const expected = version === "1.0" ? model : legacyTask(model, binding);
          const wire = sent(codecs.getTask?.encode(model));
          assert.deepEqual(decoderOf(client, binding)("getTask", wire), expected);
          assert.deepEqual(decoderOf(client, binding)("cancelTask", wire), expected);
          const answer = sent(codecs.sendMessage?.encode({ task: model }));
          assert.deepEqual(decoderOf(client, binding)("sendMessage", answer), { task: expected });
        }),
      );
    });

    test(`events of ${version} come back over ${binding}, and the last one of 0.3 says so`, () => {
      fc.assert(
        fc.property(response, (event) => {
          const expected = version === "1.0" ? event : legacyEvent(event, binding);
          for (const operation of ["sendStreamingMessage", "subscribeToTask"] as const) {
            const wire = sent(codecs[operation]?.encode({ response: event }));
            const isLast = version === "0.3" && isFinal(event, operation);
            const read = decoderOf(client, binding)(operation, wire);
            assert.deepEqual(read, { response: expected, isLast });
          }
        }),
      );
    });
  }

test("an answer of messages comes back on all bindings", () => {
  fc.assert(
    fc.property(sendMessageRequest, ({ message }) => {
      for (const binding of ["jsonrpc", "rest", "grpc"] as const) {
        const encode = (server: Dialect) => {
          const codecs: Codecs = server[binding].codecs;
          return sent(codecs.sendMessage?.encode({ message }));
        };
        const newer = decoderOf(clients["1.0"], binding)("sendMessage", encode(servers["1.0"]));
        assert.deepEqual(newer, { message });
        const older = decoderOf(clients["0.3"], binding)("sendMessage", encode(servers["0.3"]));
        assert.deepEqual(older, { message: legacyMessage(message, binding) });
      }
    }),
  );
});

function decoderOf(client: ClientDialect, binding: Binding) {
  return (operation: Parameters<ClientDialect["rest"]["decode"]>[0], wire: unknown): unknown =>
    binding === "grpc"
      ? client.grpc.decode(operation, wire as Uint8Array)
      : client[binding].decode(operation, wire);
}

function sent(wire: unknown): unknown {
  return wire instanceof Uint8Array ? wire : (JSON.parse(textOf(wire)) as unknown);
}

function isFinal(event: StreamResponse, operation: string): boolean {
  if (!("statusUpdate" in event)) return false;
  const { state } = event.statusUpdate.status;
  const waits = state === "TASK_STATE_INPUT_REQUIRED" && operation === "sendStreamingMessage";
  return isTerminal(state) || waits;
}

/** JSON-RPC 0.3 keeps the tasks that messages refer to, the protobuf of 0.3 does not. */
function legacyMessage(message: Message, binding: Binding): Message {
  const { referenceTaskIds } = message;
  const rest = readableMessage(message);
  return binding === "jsonrpc" && referenceTaskIds ? { ...rest, referenceTaskIds } : rest;
}

function legacyTask(model: Task, binding: Binding): Task {
  const { status, history } = model;
  return {
    ...readable(model),
    status: {
      ...status,
      ...(status.message && { message: legacyMessage(status.message, binding) }),
    },
    ...(history && { history: history.map((message) => legacyMessage(message, binding)) }),
  };
}

function legacyEvent(event: StreamResponse, binding: Binding): StreamResponse {
  if ("task" in event) return { task: legacyTask(modelOf(event.task), binding) };
  if ("message" in event) return { message: legacyMessage(event.message, binding) };
  if ("statusUpdate" in event) {
    const { statusUpdate } = event;
    const { status } = legacyTask({ id: "t", status: statusUpdate.status }, binding);
    return { statusUpdate: { ...statusUpdate, status } };
  }
  const { artifactUpdate } = event;
  const artifacts = [artifactUpdate.artifact];
  const status = { state: "TASK_STATE_WORKING" } as const;
  const [artifact = artifactUpdate.artifact] =
    legacyTask({ id: "t", status, artifacts }, binding).artifacts ?? [];
  return { artifactUpdate: { ...artifactUpdate, artifact } };
}
