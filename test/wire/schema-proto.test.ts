/** The model to protobuf and back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import protobuf from "protobufjs";
import type { Message } from "../../src/protocol/model.ts";
import { messages } from "../../src/wire/v1/messages.ts";
import { jsonValue, sendMessageRequest, task } from "./arbitraries.ts";
import { nested, refusal, violationsOf } from "./support.ts";

const {
  GetTaskRequest,
  ListTasksRequest,
  Message: MessageSchema,
  SendMessageRequest,
  Task,
} = messages;

test("requests are the same after protobuf and after JSON", () => {
  fc.assert(
    fc.property(sendMessageRequest, (request) => {
      const bytes = SendMessageRequest.toProto(request);
      assert.deepEqual(SendMessageRequest.fromProto(bytes), request);
      assert.deepEqual(SendMessageRequest.decode(JSON.parse(JSON.stringify(request))), request);
    }),
  );
});

test("tasks are the same after protobuf and after JSON", () => {
  fc.assert(
    fc.property(task, (value) => {
      assert.deepEqual(Task.fromProto(Task.toProto(value)), value);
      assert.deepEqual(Task.decode(JSON.parse(JSON.stringify(value))), value);
    }),
  );
});

test("data of every kind is the same JSON after protobuf", () => {
  const same = (data: unknown) => {
    const message = messageOf({ data } as Message["parts"][number]);
    const [part] = MessageSchema.fromProto(MessageSchema.toProto(message)).parts;
    assert.equal(JSON.stringify(part), JSON.stringify({ data }));
  };
  for (const data of [
    null,
    [null],
    0,
    false,
    "",
    {},
    [],
    { a: null, b: { c: null }, d: [1, null, "x"] },
  ])
    same(data);
  fc.assert(fc.property(jsonValue, same));
});

test("raw bytes are the bytes that its base64 stands for", () => {
  const bytes = MessageSchema.toProto(messageOf({ raw: "AP/+gAo=" }));
  assert.ok(Buffer.from(bytes).includes(Buffer.from([0x12, 5, 0x00, 0xff, 0xfe, 0x80, 0x0a])));
  assert.deepEqual(MessageSchema.fromProto(bytes).parts, [{ raw: "AP/+gAo=" }]);
});

test("an optional number that is zero is told from an absent one", () => {
  for (const request of [
    { id: "t" },
    { id: "t", historyLength: 0 },
    { id: "t", historyLength: -1 },
  ])
    assert.deepEqual(GetTaskRequest.fromProto(GetTaskRequest.toProto(request)), request);
});

test("values that stand for not set come out as absent even when they were sent", () => {
  // tenant "", contextId "", status 0, and includeArtifacts false, which has presence.
  const bytes = Buffer.from([0x0a, 0, 0x12, 0, 0x18, 0, 0x40, 0]);
  assert.deepEqual(ListTasksRequest.fromProto(bytes), { includeArtifacts: false });
});

test("the last member of a oneof wins, and the last occurrence of a field", () => {
  const part = Buffer.from([0x0a, 1, 0x61, 0x1a, 1, 0x62]); // text "a", then url "b"
  const message = Buffer.concat([
    Buffer.from([0x0a, 1, 0x78, 0x0a, 1, 0x6d, 0x20, 1, 0x2a, part.length]),
    part,
  ]);
  assert.deepEqual(MessageSchema.fromProto(message), messageOf({ url: "b" }));
});

test("what an independent implementation writes is read, and the reverse", async () => {
  const root = await protobuf.load(
    new URL("../../proto/google/rpc/error_details.proto", import.meta.url).pathname,
  );
  const ErrorInfo = root.lookupType("google.rpc.ErrorInfo");
  const { openSchema } = await import("../../src/wire/schema.ts");
  const ours = openSchema("google/rpc/error_details.proto").message<object>("google.rpc.ErrorInfo");
  const info = { reason: "R", domain: "ünï".repeat(100), metadata: { a: "b", c: "" } };
  assert.deepEqual(ours.fromProto(ErrorInfo.encode(info).finish()), info);
  assert.deepEqual(ErrorInfo.decode(ours.toProto(info)).toJSON(), info);
});

test("times before 1970 keep their milliseconds", () => {
  const value = {
    id: "t",
    status: { state: "TASK_STATE_WORKING", timestamp: "1969-12-31T23:59:59.001Z" },
  } as const;
  assert.deepEqual(Task.fromProto(Task.toProto(value)), value);
});

test("required fields and oneofs are checked, with paths", () => {
  assert.deepEqual(
    violationsOf(() => SendMessageRequest.fromProto(new Uint8Array())),
    { message: "is required" },
  );
  // message { message_id "m", role 9, parts [{}, {text ""}] }
  const bytes = Buffer.from([0x12, 11, 0x0a, 1, 0x6d, 0x20, 9, 0x2a, 0, 0x2a, 2, 0x0a, 0]);
  assert.deepEqual(
    violationsOf(() => SendMessageRequest.fromProto(bytes)),
    {
      "message.role": "must be one of ROLE_USER, ROLE_AGENT, not 9",
      "message.parts[0]": "must have one of text, raw, url, data",
    },
  );
});

test("in lenient mode an unknown enum value is the unspecified one, and unknown fields are ignored", () => {
  // id "t", status { state 9 }, and field 99.
  const bytes = Buffer.from([0x0a, 1, 0x74, 0x1a, 2, 0x08, 9, 0x98, 0x06, 1]);
  assert.deepEqual(Task.fromProto(bytes, "lenient"), {
    id: "t",
    status: { state: "TASK_STATE_UNSPECIFIED" },
  });
});

const MALFORMED: Readonly<Record<string, readonly number[]>> = {
  "a length past the end": [0x0a, 5, 0x61],
  "a tag that is cut off": [0x80],
  "an endless varint": [0x18, ...Array<number>(11).fill(0xff)],
  "a group that does not end": [0x0b],
  "an end without a group": [0x0c],
  "an unknown wire type": [0x0e],
  "text that is not UTF-8": [0x12, 2, 0xff, 0xfe],
  "a thousand groups inside one another": Array<number>(1000).fill(0x0b),
};

for (const [what, bytes] of Object.entries(MALFORMED))
  test(`${what} is refused`, () => {
    const error = refusal(() => GetTaskRequest.fromProto(Uint8Array.from(bytes)));
    assert.match(error.message, /^not the bytes of a GetTaskRequest: /);
  });

test("random bytes are read or refused, nothing else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        SendMessageRequest.fromProto(bytes);
      } catch {
        refusal(() => SendMessageRequest.fromProto(bytes));
      }
    }),
    { numRuns: 2000 },
  );
});

test("bytes with one byte changed are read or refused, nothing else", () => {
  fc.assert(
    fc.property(sendMessageRequest, fc.nat(), fc.nat(255), (request, place, value) => {
      const bytes = SendMessageRequest.toProto(request);
      bytes[place % bytes.length] = value;
      try {
        SendMessageRequest.fromProto(bytes);
      } catch {
        refusal(() => SendMessageRequest.fromProto(bytes));
      }
    }),
  );
});

test("data may nest a hundred levels, not more, and never exhausts the stack", () => {
  for (const wrap of [(inner: unknown) => ({ a: inner }), (inner: unknown) => [inner]]) {
    const encoded = (depth: number) =>
      MessageSchema.toProto(messageOf({ data: nested(depth, wrap) } as Message["parts"][number]));
    assert.doesNotThrow(() => MessageSchema.fromProto(encoded(100)));
    assert.deepEqual(
      violationsOf(() => MessageSchema.fromProto(encoded(101))),
      { "parts[0].data": "is nested deeper than 100 levels" },
    );
  }
});

test("numbers that JSON cannot express are refused", () => {
  const infinity = Buffer.from([0x2a, 11, 0x22, 9, 0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f]);
  assert.equal(
    violationsOf(() => MessageSchema.fromProto(infinity))["parts[0].data"],
    "holds Infinity, which JSON cannot express",
  );
});

test("a time outside the years 1 to 9999 is refused", () => {
  const bytes = Buffer.from([0x3a, 10, 0x08, ...Array<number>(8).fill(0xff), 0x7f]);
  assert.deepEqual(
    violationsOf(() => ListTasksRequest.fromProto(bytes)),
    { statusTimestampAfter: "must be a time between the years 1 and 9999" },
  );
});

test("half a character becomes a replacement character, so that the bytes stay UTF-8", () => {
  const long = `${"x".repeat(50)}\ud800`;
  for (const text of ["\ud800", long])
    assert.equal(
      MessageSchema.fromProto(MessageSchema.toProto(messageOf({ text }))).parts[0]?.text,
      text.replace("\ud800", "\ufffd"),
    );
});

test("a large message grows the buffer and leaves none behind", () => {
  const raw = Buffer.alloc(5 << 20, 7).toString("base64");
  const text = "ü".repeat(1 << 20);
  const message = { ...messageOf({ raw }), metadata: { text } };
  assert.deepEqual(MessageSchema.fromProto(MessageSchema.toProto(message)), message);
});

test("a message is what it was after another one failed half way", () => {
  const broken = { id: "t", status: { state: "TASK_STATE_WORKING", timestamp: "never" } } as const;
  assert.throws(() => Task.toProto(broken), /"never" is no time/);
  assert.deepEqual(GetTaskRequest.fromProto(GetTaskRequest.toProto({ id: "t" })), { id: "t" });
});

test("a hundred thousand parts are read within two seconds", () => {
  const parts = Array.from({ length: 100_000 }, (_, index) => ({ text: `part ${index}` }));
  const bytes = MessageSchema.toProto({ ...messageOf({ text: "" }), parts });
  const start = process.cpuUsage();
  assert.equal(MessageSchema.fromProto(bytes).parts.length, 100_000);
  assert.ok(process.cpuUsage(start).user < 2_000_000);
});

function messageOf(part: Message["parts"][number]): Message {
  return { messageId: "m", role: "ROLE_USER", parts: [part] };
}
