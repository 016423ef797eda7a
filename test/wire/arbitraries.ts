/** Generated objects of the model, in its canonical form: nothing that is null or stands for not set. */
import fc, { type Arbitrary } from "fast-check";
import type { JsonObject, JsonValue } from "../../src/protocol/json.ts";
import type {
  Artifact,
  Message,
  Part,
  SendMessageRequest,
  Task,
  TaskPushNotificationConfig,
  TaskStatus,
} from "../../src/protocol/model.ts";
import { TASK_STATES } from "../../src/protocol/states.ts";

const text = fc.string({ unit: "grapheme", maxLength: 60 });
const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });

// JSON cannot tell -0 from 0.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0));

export const jsonValue: Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constant(null),
      fc.boolean(),
      number,
      text,
      fc.array(tie("value"), { maxLength: 4 }),
      tie("object"),
    ),
    object: fc.dictionary(
      fc.oneof(text, fc.constantFrom("__proto__", "constructor")),
      tie("value"),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  }),
).value;

const jsonObject: Arbitrary<JsonObject> = fc.dictionary(text, jsonValue, {
  maxKeys: 4,
  noNullPrototype: true,
});

const base64 = fc
  .uint8Array({ maxLength: 80 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));

const time = fc
  .date({
    min: new Date("0001-01-01T00:00:00.000Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());

function list<T>(item: Arbitrary<T>): Arbitrary<T[]> {
  return fc.array(item, { minLength: 1, maxLength: 3 });
}

const content = fc.oneof(
  fc.record({ text }, { noNullPrototype: true }),
  fc.record({ raw: base64 }, { noNullPrototype: true }),
  fc.record({ url: text }, { noNullPrototype: true }),
  fc.record({ data: jsonValue }, { noNullPrototype: true }),
);

const part: Arbitrary<Part> = fc
  .tuple(
    content,
    fc.record(
      { metadata: jsonObject, filename: name, mediaType: name },
      { requiredKeys: [], noNullPrototype: true },
    ),
  )
  .map(([set, rest]) => ({ ...set, ...rest }));

const message: Arbitrary<Message> = fc.record(
  {
    messageId: name,
    contextId: name,
    taskId: name,
    role: fc.constantFrom("ROLE_USER" as const, "ROLE_AGENT" as const),
    parts: list(part),
    metadata: jsonObject,
    extensions: list(text),
    referenceTaskIds: list(text),
  },
  { requiredKeys: ["messageId", "role", "parts"], noNullPrototype: true },
);

const status: Arbitrary<TaskStatus> = fc.record(
  { state: fc.constantFrom(...TASK_STATES.slice(1)), message, timestamp: time },
  { requiredKeys: ["state"], noNullPrototype: true },
);

const artifact: Arbitrary<Artifact> = fc.record(
  {
    artifactId: name,
    name,
    description: name,
    parts: list(part),
    metadata: jsonObject,
    extensions: list(text),
  },
  { requiredKeys: ["artifactId", "parts"], noNullPrototype: true },
);

export const task: Arbitrary<Task> = fc.record(
  {
    id: name,
    contextId: name,
    status,
    artifacts: list(artifact),
    history: list(message),
    metadata: jsonObject,
  },
  { requiredKeys: ["id", "status"], noNullPrototype: true },
);

const pushConfig: Arbitrary<TaskPushNotificationConfig> = fc.record(
  {
    tenant: name,
    id: name,
    taskId: name,
    url: name,
    token: name,
    authentication: fc.record(
      { scheme: name, credentials: name },
      { requiredKeys: ["scheme"], noNullPrototype: true },
    ),
  },
  { requiredKeys: ["url"], noNullPrototype: true },
);

export const sendMessageRequest: Arbitrary<SendMessageRequest> = fc.record(
  {
    tenant: name,
    message,
    configuration: fc.record(
      {
        acceptedOutputModes: list(text),
        taskPushNotificationConfig: pushConfig,
        historyLength: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
        returnImmediately: fc.constant(true),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    metadata: jsonObject,
  },
  { requiredKeys: ["message"], noNullPrototype: true },
);
