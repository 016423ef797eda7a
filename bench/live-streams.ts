/** Streams that are held open: subscriptions over SSE or gRPC, counted and not parsed. */
import { randomUUID } from "node:crypto";
import type { Connection } from "./clients/client.ts";
import { openGrpc } from "./clients/grpc.ts";
import { httpRequest, openHttp } from "./clients/http.ts";
import { SERVICE } from "./measure.ts";
import { encodeMessage } from "./messages.ts";
import { headersOf } from "./operations.ts";
import type { Target } from "./targets.ts";

/** One agent of the gateway, over JSON-RPC. */
export function agentUrl(target: Target, agent: string): string {
  return `${target.rest}/a2a/${agent}`;
}

/** A JSON-RPC call to an agent, whose answer is a task or a stream. */
export function agentRequest(
  target: Target,
  agent: string,
  method: string,
  params: object,
): Buffer {
  const isStream = /Stream|Subscribe/.test(method);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return httpRequest("POST", agentUrl(target, agent), headersOf(isStream), body);
}

export function textMessage(text: string, more: object = {}) {
  return { message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more } };
}

/** The id of a task that an agent opened for a text. */
export async function openTask(target: Target, agent: string, text: string): Promise<string> {
  const connection = await openHttp(target.rest);
  const params = { ...textMessage(text), configuration: { returnImmediately: true } };
  const { messages } = await connection.call(agentRequest(target, agent, "SendMessage", params));
  connection.close();
  const answer = JSON.parse(String(messages[0])) as { result?: { task?: { id?: string } } };
  const id = answer.result?.task?.id;
  if (id === undefined) throw new Error(`no task: ${String(messages[0]).slice(0, 300)}`);
  return id;
}

/** Subscribes to a task on a connection of its own; `onData` sees what comes. */
export async function subscribeSse(
  target: Target,
  agent: string,
  id: string,
  onData: (data: Buffer) => void,
): Promise<Subscription> {
  const connection = await openHttp(target.rest);
  const request = agentRequest(target, agent, "SubscribeToTask", { id });
  return { connection, ended: settled(connection.call(request, onData)) };
}

export interface Subscription {
  readonly connection: Connection;
  /** Resolves when the stream has ended, with the status, or when the connection went away, with undefined. */
  readonly ended: Promise<number | undefined>;
}

export function openSubscriptions(target: Target): Promise<Connection> {
  return openGrpc(target.grpc, `/${SERVICE["1.0"]}/SubscribeToTask`, { "a2a-version": "1.0" });
}

export function subscribeGrpc(
  connection: Connection,
  agent: string,
  id: string,
  onData: (data: Buffer) => void,
): Subscription {
  const request = encodeMessage("SubscribeToTaskRequest", { tenant: agent, id });
  return { connection, ended: settled(connection.call(request, onData)) };
}

/** How many events of an event stream end in the pieces that it is shown. */
export function eventCounter(): (data: Buffer) => number {
  let newlines = 0;
  return (data) => {
    let events = 0;
    for (let at = 0; at < data.length; at++) {
      if (data[at] !== 10) newlines = 0;
      else if (++newlines === 2) events++;
    }
    return events;
  };
}

async function settled(call: Promise<{ status: number }>): Promise<number | undefined> {
  try {
    return (await call).status;
  } catch {
    return undefined;
  }
}
