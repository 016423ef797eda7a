/** A request for each operation, as each version writes it: what the matrix of callers, operations and doors asks. */
import type { OperationName } from "../../src/protocol/service.ts";

/** What a request is about. */
export interface Asked {
  /** The task that is named; sends begin a new one where it is empty. */
  readonly task: string;
  readonly config: string;
  readonly messageId: string;
  readonly contextId?: string;
  readonly referenced?: string;
  readonly text?: string;
  /** The skill that the message names in its metadata. */
  readonly skill?: string;
  /** A webhook that comes with a message, or that a config is to tell. */
  readonly hook?: string;
}

/** A request on each binding. On HTTP+JSON it is the body: paths come from the version's routes. */
interface Spelling {
  readonly rpc: (asked: Asked) => object;
  readonly rest: (asked: Asked) => object;
  /** Names in camelCase, enums by name. */
  readonly grpc: (asked: Asked) => object;
}

type Versions = Readonly<Record<string, Spelling>>;

const HOOK = "http://127.0.0.1:9/never";

const nothing = (): object => ({});
const same = (spell: (asked: Asked) => object): Spelling => ({
  rpc: spell,
  rest: spell,
  grpc: spell,
});
/** With everything in the path. */
const inPath = (spell: (asked: Asked) => object): Spelling => ({
  rpc: spell,
  rest: nothing,
  grpc: spell,
});

const idsOf = ({ task, contextId, referenced }: Asked): object => ({
  ...(task !== "" && { taskId: task }),
  ...(contextId !== undefined && { contextId }),
  ...(referenced !== undefined && { referenceTaskIds: [referenced] }),
});

const send: Versions = {
  "1.0": {
    rpc: (asked) => newerSend(asked, inJson(asked)),
    rest: (asked) => newerSend(asked, inJson(asked)),
    grpc: (asked) => newerSend(asked, inProto(asked)),
  },
  "0.3": {
    rpc: (asked) => ({
      message: {
        kind: "message",
        messageId: asked.messageId,
        role: "user",
        parts: [{ kind: "text", text: asked.text ?? "ask" }],
        ...idsOf(asked),
        ...inJson(asked),
      },
      configuration: {
        blocking: true,
        ...(asked.hook !== undefined && { pushNotificationConfig: { url: asked.hook } }),
      },
    }),
    rest: (asked) => olderSend(asked, inJson(asked)),
    grpc: (asked) => olderSend(asked, inProto(asked)),
  },
};

function newerSend(asked: Asked, metadata: object): object {
  return {
    message: {
      messageId: asked.messageId,
      role: "ROLE_USER",
      parts: [{ text: asked.text ?? "ask" }],
      ...idsOf(asked),
      ...metadata,
    },
    ...(asked.hook !== undefined && {
      configuration: { taskPushNotificationConfig: { url: asked.hook } },
    }),
  };
}

/** As the protobuf of 0.3 has it, which knows no references of tasks. */
function olderSend({ referenced: _, ...asked }: Asked, metadata: object): object {
  return {
    request: {
      messageId: asked.messageId,
      role: "ROLE_USER",
      content: [{ text: asked.text ?? "ask" }],
      ...idsOf(asked),
      ...metadata,
    },
    configuration: {
      blocking: true,
      ...(asked.hook !== undefined && { pushNotification: { url: asked.hook } }),
    },
  };
}

function inJson({ skill }: Asked): object {
  return skill === undefined ? {} : { metadata: { skillId: skill } };
}

function inProto({ skill }: Asked): object {
  return skill === undefined ? {} : { metadata: { fields: { skillId: { stringValue: skill } } } };
}

const byTask: Versions = {
  "1.0": inPath(({ task }) => ({ id: task })),
  "0.3": {
    rpc: ({ task }) => ({ id: task }),
    rest: nothing,
    grpc: ({ task }) => ({ name: `tasks/${task}` }),
  },
};

const byConfig: Versions = {
  "1.0": inPath(({ task, config }) => ({ taskId: task, id: config })),
  "0.3": {
    rpc: ({ task, config }) => ({ id: task, pushNotificationConfigId: config }),
    rest: nothing,
    grpc: ({ task, config }) => ({ name: `tasks/${task}/pushNotificationConfigs/${config}` }),
  },
};

export const SPELLINGS: Readonly<Record<OperationName, Versions>> = {
  sendMessage: send,
  sendStreamingMessage: send,
  getTask: byTask,
  listTasks: { "1.0": inPath(nothing) },
  cancelTask: byTask,
  subscribeToTask: byTask,
  createTaskPushNotificationConfig: {
    "1.0": same(({ task, config, hook = HOOK }) => ({ taskId: task, id: config, url: hook })),
    "0.3": {
      rpc: ({ task, config, hook = HOOK }) => ({
        taskId: task,
        pushNotificationConfig: { id: config, url: hook },
      }),
      rest: ({ config, hook = HOOK }) => ({
        configId: config,
        config: { pushNotificationConfig: { url: hook } },
      }),
      grpc: ({ task, config, hook = HOOK }) => ({
        parent: `tasks/${task}`,
        configId: config,
        config: { pushNotificationConfig: { url: hook } },
      }),
    },
  },
  getTaskPushNotificationConfig: byConfig,
  listTaskPushNotificationConfigs: {
    "1.0": inPath(({ task }) => ({ taskId: task })),
    "0.3": {
      rpc: ({ task }) => ({ id: task }),
      rest: nothing,
      grpc: ({ task }) => ({ parent: `tasks/${task}` }),
    },
  },
  deleteTaskPushNotificationConfig: byConfig,
  getExtendedAgentCard: { "1.0": inPath(nothing), "0.3": inPath(nothing) },
};

/** Which operations are about a task that a caller names; sends are where they name one. */
export const ABOUT_A_TASK: Readonly<Record<OperationName, boolean>> = {
  sendMessage: true,
  sendStreamingMessage: true,
  getTask: true,
  listTasks: false,
  cancelTask: true,
  subscribeToTask: true,
  createTaskPushNotificationConfig: true,
  getTaskPushNotificationConfig: true,
  listTaskPushNotificationConfigs: true,
  deleteTaskPushNotificationConfig: true,
  getExtendedAgentCard: false,
};
