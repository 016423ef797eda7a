/** What a caller may mean: an operation with a request that is valid, before something happens to it. */
import fc, { type Arbitrary } from "fast-check";
import type { OperationName, RequestOf } from "../../src/protocol/service.ts";
import { TASK_STATES } from "../../src/protocol/states.ts";
import { withoutTask } from "../../test/support/mutations.ts";
import { sendMessageRequest } from "../../test/wire/arbitraries.ts";
import type { Version, World } from "./world.ts";

export type Intent = { readonly [N in OperationName]: IntentOf<N> }[OperationName];

export interface IntentOf<N extends OperationName> {
  readonly operation: N;
  readonly request: RequestOf<N>;
}

/** Messages take a tenth of a millisecond to make up: so many are made, and used again and again. */
const MESSAGES = 2_000;
/** The texts that the agents of gateway.yaml do something about. */
const TEXTS = ["hi", "ask", "slow", "chunks", "fail", "message"];

export function intentsOf(world: World, version: Version, seed: number): Arbitrary<Intent> {
  const id = fc.constantFrom(...world.tasks);
  const text = fc.constantFrom(...TEXTS);
  const made = fc.sample(sendMessageRequest, { numRuns: MESSAGES, seed }).map(withoutTask);
  const plain = fc
    .record({ text, taskId: fc.option(id, { nil: undefined }), quick: fc.boolean() })
    .map(({ text, taskId, quick }) => plainMessage(text, taskId, quick));
  const send = fc.oneof(fc.constantFrom(...made), plain);
  const historyLength = fc.constantFrom(undefined, 0, 1, 1000, -1);
  const named = id.map((id) => ({ id }));
  const config = fc.record({ taskId: id, id: fc.constantFrom("a", "b", "c") });
  const of = <N extends OperationName>(operation: N, request: Arbitrary<RequestOf<N>>) =>
    request.map((request) => ({ operation, request }) as Intent);
  return fc.oneof(
    { weight: 6, arbitrary: of("sendMessage", send) },
    { weight: 3, arbitrary: of("sendStreamingMessage", send) },
    { weight: 2, arbitrary: of("getTask", fc.record({ id, historyLength }).map(said)) },
    { weight: version === "1.0" ? 2 : 0, arbitrary: of("listTasks", listings(world)) },
    { weight: 1, arbitrary: of("cancelTask", named) },
    { weight: 1, arbitrary: of("subscribeToTask", named) },
    { weight: 1, arbitrary: of("createTaskPushNotificationConfig", config.map(registration)) },
    { weight: 1, arbitrary: of("getTaskPushNotificationConfig", config) },
    {
      weight: 1,
      arbitrary: of(
        "listTaskPushNotificationConfigs",
        id.map((taskId) => ({ taskId })),
      ),
    },
    { weight: 1, arbitrary: of("deleteTaskPushNotificationConfig", config) },
    { weight: 1, arbitrary: of("getExtendedAgentCard", fc.constant({})) },
  );
}

function plainMessage(
  text: string,
  taskId: string | undefined,
  returnImmediately: boolean,
): RequestOf<"sendMessage"> {
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text }] } as const;
  return {
    message: { ...message, ...(taskId !== undefined && { taskId }) },
    ...(returnImmediately && { configuration: { returnImmediately } }),
  };
}

function listings({ contexts, pageTokens }: World): Arbitrary<RequestOf<"listTasks">> {
  const maybe = <T>(...values: readonly T[]) => fc.constantFrom(undefined, undefined, ...values);
  return fc
    .record({
      contextId: maybe(...contexts),
      status: maybe(...TASK_STATES),
      pageSize: maybe(1, 2, 100, 101, 0),
      pageToken: maybe(...pageTokens),
      historyLength: maybe(0, 1),
      statusTimestampAfter: maybe("2026-01-01T00:00:00Z"),
      includeArtifacts: maybe(true),
    })
    .map(said);
}

function registration(config: {
  readonly taskId: string;
  readonly id: string;
}): RequestOf<"createTaskPushNotificationConfig"> {
  return { ...config, url: "http://127.0.0.1:9/hook" };
}

/** Without the members that were left out. */
function said<T extends object>(request: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== undefined),
  ) as T;
}
