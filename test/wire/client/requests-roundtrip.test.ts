/** What a client writes, a server of the same version reads as it was, but for what docs/versions.md lists. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Message, SendMessageRequest } from "../../../src/protocol/model.ts";
import { sendMessageRequest } from "../arbitraries.ts";
import { readableMessage } from "../v0_3/proto-losses.ts";
import { clients, routed, servers } from "./support.ts";

const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const SENDS = ["sendMessage", "sendStreamingMessage"] as const;

for (const operation of SENDS) {
  test(`${operation} of 1.0 arrives whole on all bindings`, () => {
    const { jsonrpc, rest, grpc } = clients["1.0"];
    const server = servers["1.0"];
    fc.assert(
      fc.property(sendMessageRequest, (request) => {
        const params = json(jsonrpc.encode(operation, request));
        assert.deepEqual(server.jsonrpc.codecs[operation]?.decode(params), request);
        const bytes = grpc.encode(operation, request);
        assert.deepEqual(server.grpc.codecs[operation]?.decode(bytes), request);
        // The tenant is in the path, which names the agent.
        const { tenant: _, ...rest_ } = request;
        const wire = routed(server, rest.requestOf(operation, rest_));
        assert.deepEqual(server.rest.codecs[operation]?.decode(wire), rest_);
      }),
    );
  });

  test(`${operation} of 0.3 arrives with all that 0.3 can say on all bindings`, () => {
    const { jsonrpc, rest, grpc } = clients["0.3"];
    const server = servers["0.3"];
    fc.assert(
      fc.property(sendMessageRequest, (request) => {
        const params = json(jsonrpc.encode(operation, request));
        const withReferences = legacy(request, kindMessage);
        assert.deepEqual(server.jsonrpc.codecs[operation]?.decode(params), withReferences);
        const wire = routed(server, rest.requestOf(operation, request));
        const expected = legacy(request, readableMessage);
        assert.deepEqual(server.rest.codecs[operation]?.decode(wire), expected);
        const bytes = grpc.encode(operation, request);
        const decoded = server.grpc.codecs[operation]?.decode(bytes);
        assert.deepEqual(decoded, withoutZero(expected));
      }),
    );
  });
}

for (const version of ["1.0", "0.3"] as const) {
  test(`requests about one task of ${version} arrive whole on all bindings`, () => {
    const { jsonrpc, rest, grpc } = clients[version];
    const server = servers[version];
    const requests = [
      ["getTask", { id: "t 1/2?#%:cancel" }],
      ["getTask", { id: "t", historyLength: 3 }],
      ["cancelTask", { id: "t:ä" }],
      ["subscribeToTask", { id: "t" }],
    ] as const;
    for (const [operation, request] of requests) {
      const params = json(jsonrpc.encode(operation, request));
      assert.deepEqual(server.jsonrpc.codecs[operation]?.decode(params), request);
      const wire = routed(server, rest.requestOf(operation, request));
      assert.deepEqual(server.rest.codecs[operation]?.decode(wire), request);
      // A slash would be another resource's name in the protobuf of 0.3.
      const named = { ...request, id: request.id.replace("/", "-") };
      const bytes = grpc.encode(operation, named);
      assert.deepEqual(server.grpc.codecs[operation]?.decode(bytes), named);
    }
  });
}

function kindMessage(message: Message): Message {
  const { referenceTaskIds } = message;
  return { ...readableMessage(message), ...(referenceTaskIds && { referenceTaskIds }) };
}

/**
 * 0.3 has no tenants, a push configuration of a send names no task and is `default` without a name, and there is always a
 * configuration.
 */
function legacy(
  { message, configuration = {}, metadata }: SendMessageRequest,
  readable: (message: Message) => Message,
): SendMessageRequest {
  const { taskPushNotificationConfig: push, ...rest } = configuration;
  const { tenant: _, taskId: __, ...config } = push ?? { url: "" };
  return {
    message: readable(message),
    configuration: push
      ? { ...rest, taskPushNotificationConfig: { ...config, id: config.id || "default" } }
      : rest,
    ...(metadata && { metadata }),
  };
}

function withoutZero(request: SendMessageRequest): SendMessageRequest {
  const { historyLength, ...rest } = request.configuration ?? {};
  return historyLength === 0 ? { ...request, configuration: rest } : request;
}
