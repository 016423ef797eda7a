/** What a policy may call the operations of A2A: by their own names, or by groups of them. */
import type { OperationName } from "../../protocol/service.ts";

/** What the operations of a group do: show what is there, hand a message to an agent, stop a task, deal with webhooks. */
export type Group = "read" | "send" | "cancel" | "push";

const GROUPS: Readonly<Record<OperationName, Group>> = {
  sendMessage: "send",
  sendStreamingMessage: "send",
  getTask: "read",
  listTasks: "read",
  cancelTask: "cancel",
  subscribeToTask: "read",
  createTaskPushNotificationConfig: "push",
  getTaskPushNotificationConfig: "push",
  listTaskPushNotificationConfigs: "push",
  deleteTaskPushNotificationConfig: "push",
  getExtendedAgentCard: "read",
};

/** `*` stands for every operation. */
export type OperationWord = OperationName | Group | "*";

/** Every operation. */
export const OPERATION_NAMES = Object.keys(GROUPS) as readonly OperationName[];

/** Every word that stands for operations. */
export const OPERATION_WORDS: readonly OperationWord[] = [
  "*",
  ...new Set(Object.values(GROUPS)),
  ...OPERATION_NAMES,
];

/** Whether a word stands for nothing but operations that hand a message to an agent. */
export function isOfSends(word: OperationWord): boolean {
  return word === "send" || (isOperation(word) && GROUPS[word] === "send");
}

/** The operations that words stand for. */
export function operationsOf(words: readonly OperationWord[]): ReadonlySet<OperationName> {
  const said = new Set<OperationWord>(words);
  const meant = OPERATION_NAMES.filter(
    (name) => said.has("*") || said.has(name) || said.has(GROUPS[name]),
  );
  return new Set(meant);
}

function isOperation(word: OperationWord): word is OperationName {
  return Object.hasOwn(GROUPS, word);
}
