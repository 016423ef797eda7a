/** What a load needs to know of a target: made by asking it. */
import {
  getTask,
  listDeepPage,
  listFirstPage,
  modelOf,
  sendMessage,
  type Binding,
  type Operation,
  type World,
} from "./operations.ts";
import type { Page, TaskView } from "./checks.ts";
import { once, openConnections } from "./measure.ts";
import type { Target } from "./targets.ts";

const KNOWN_TASKS = 64;
export const PAGE_SIZE = 50;

/** Sends some messages, so that their tasks are known, and walks `deepPages` pages down the list. */
export async function worldOf(target: Target, seed: number, deepPages: number): Promise<World> {
  const known: { id: string; text: string }[] = [];
  const empty: World = { known, pageSize: PAGE_SIZE, total: 0, deepToken: "" };
  const [connection] = await openConnections(target, "jsonrpc", sendMessage, 1);
  if (!connection) throw new Error("no connection");
  while (known.length < KNOWN_TASKS) {
    const { request } = sendMessage.next(target, "jsonrpc", empty, 0);
    const answer = await connection.call(request);
    const { task } = modelOf<{ task: TaskView }>("jsonrpc", "SendMessage", answer);
    known.push({ id: task.id ?? "", text: task.artifacts?.[0]?.parts?.[0]?.text ?? "" });
  }
  connection.close();
  const world = { ...empty, total: seed + known.length };
  const pages = Math.max(1, Math.min(deepPages, Math.floor(world.total / PAGE_SIZE) - 2));
  return { ...world, deepToken: await tokenOf(target, world, pages, listDeepPage) };
}

/** The token of the page that so many pages come before; `operation` lists with a token from the world. */
export async function tokenOf(
  target: Target,
  world: World,
  pages: number,
  operation: Operation,
): Promise<string> {
  const [connection] = await openConnections(target, "jsonrpc", operation, 1);
  if (!connection) throw new Error("no connection");
  let deepToken = "";
  for (let page = 0; page < pages; page++) {
    const { request } = operation.next(target, "jsonrpc", { ...world, deepToken }, 0);
    const answer = await connection.call(request);
    const { nextPageToken } = modelOf<Page>("jsonrpc", "ListTasks", answer);
    if (!nextPageToken) break;
    deepToken = nextPageToken;
  }
  connection.close();
  return deepToken;
}

/** Each operation must be right once before anything is timed. */
export async function rehearse(
  target: Target,
  world: World,
  bindings: readonly Binding[],
): Promise<void> {
  for (const operation of [sendMessage, getTask, listFirstPage, listDeepPage])
    for (const binding of bindings) await once({ target, operation, binding, world });
}
