/** A gateway with some tasks, for mutated requests to be about, and whether all is well with it afterwards. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CREDENTIALS, environmentOf } from "./callers.ts";
import { framed } from "./grpc-shots.ts";
import { GrpcLine } from "./grpc-line.ts";
import { HttpLine } from "./http-line.ts";
import { sound } from "./http-shots.ts";
import { GatewayProcess } from "./process.ts";
import { grpcCallOf, restCallOf, rpcCallOf } from "./spelling.ts";
import { DOORS, keyOf, type Door, type World } from "./world.ts";

const CONNECTIONS_MS = 15_000;

export interface Stage {
  readonly name: string;
  readonly gateway: GatewayProcess;
  readonly world: World;
}

/** Opens the gateway that lets everybody in, or the one that asks. */
export async function openStage(name: "open" | "guarded", database: string): Promise<Stage> {
  const isOpen = name === "open";
  const gateway = await GatewayProcess.start(
    isOpen ? "gateway.yaml" : "guarded.yaml",
    database,
    isOpen ? {} : environmentOf(),
  );
  const { port } = gateway;
  const empty: World = {
    port,
    tasks: [],
    contexts: [],
    pageTokens: [],
    credentials: isOpen ? [{}] : CREDENTIALS,
  };
  const tasks: string[] = [];
  const contexts: string[] = [];
  for (const text of ["hi", "ask", "ask", "chunks", "fail", "hi"]) {
    const { task } = (await asked(empty, "/message:send", {
      message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }] },
    })) as { task: { id: string; contextId: string } };
    tasks.push(task.id);
    contexts.push(task.contextId);
  }
  const { nextPageToken } = (await asked(empty, "/tasks?pageSize=2")) as { nextPageToken: string };
  return {
    name,
    gateway,
    world: {
      ...empty,
      tasks: [...tasks, "00000000-0000-7000-8000-000000000000", "", "x/../y"],
      contexts: [...contexts, "nowhere"],
      pageTokens: [nextPageToken, `${nextPageToken}A`, nextPageToken.slice(1), "AAAA", "%"],
    },
  };
}

/** Waits until the gateway has given up the connections whose callers are gone; what is wrong when it does not. */
export async function connectionsLeft({ gateway }: Stage): Promise<readonly string[]> {
  const deadline = performance.now() + CONNECTIONS_MS;
  for (;;) {
    const left = connectionsTo(gateway.port);
    if (left === 0) return [];
    if (performance.now() > deadline)
      return [`${left} connections are open whose callers are gone`];
    await sleep(250);
  }
}

/** Connections that the other side has closed and this one has not: state 08 of the kernel's list. */
function connectionsTo(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
  return lines.filter((line) => {
    const [, at = "", , state] = line.trim().split(/\s+/);
    return at.endsWith(local) && state === "08";
  }).length;
}

/** What is wrong with a gateway that is left alone: one line each. */
export async function faultsOf({ gateway, world }: Stage): Promise<readonly string[]> {
  if (gateway.end !== undefined) return [`the gateway ${gateway.end}`, ...gateway.faults];
  const faults: string[] = [];
  for (const door of DOORS)
    try {
      await greet(door, world);
    } catch (thrown) {
      faults.push(`${door.name} does not answer any more: ${String(thrown)}`);
    }
  for (const state of ["submitted", "working"]) {
    const url = `http://127.0.0.1:${gateway.opsPort}/admin/tasks?state=${state}`;
    const answer = await fetch(url);
    const { tasks } = (await answer.json()) as { tasks: readonly { id: string }[] };
    if (tasks.length > 0) faults.push(`still ${state}: ${tasks.map(({ id }) => id).join(", ")}`);
  }
  const stopping = await gateway.stop();
  if (!/"tasks":0,"streams":0/.test(stopping ?? "")) faults.push(`when it stopped: ${stopping}`);
  if (gateway.end !== "ended with 0") faults.push(`the gateway ${gateway.end}`);
  return [...faults, ...gateway.faults];
}

async function asked(world: World, target: string, body?: object): Promise<unknown> {
  const line = new HttpLine(world.port);
  const headers = { "A2A-Version": "1.0", "Content-Type": "application/json", ...keyOf(world) };
  const method = body === undefined ? "GET" : "POST";
  const bytes = sound({
    method,
    target,
    headers,
    body: body && Buffer.from(JSON.stringify(body)),
  });
  const text = await line.send({ bytes, isSound: true, method });
  line.close();
  if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(text);
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n")));
}

/** Sends a message that is as it should be. Throws unless a task comes of it that is completed. */
async function greet({ binding, version }: Door, world: World): Promise<void> {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "hi" }] } as const;
  const intent = { operation: "sendMessage", request: { message } } as const;
  const key = keyOf(world);
  if (binding === "grpc") {
    const line = new GrpcLine(world.port);
    const { path, message } = grpcCallOf(version, intent);
    const headers = Object.fromEntries(
      Object.entries(key).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const answer = await line.send({ kind: "call", path, headers, bytes: framed(message) });
    line.close();
    if (!answer.includes('"status":0')) throw new Error(answer);
    return;
  }
  const { target, body } =
    binding === "rest"
      ? restCallOf(version, intent)
      : { target: "/", body: { jsonrpc: "2.0", id: 1, ...rpcCallOf(version, intent) } };
  const line = new HttpLine(world.port);
  const headers = { "Content-Type": "application/json", ...key };
  const bytes = sound({
    method: "POST",
    target,
    headers,
    body: Buffer.from(JSON.stringify(body)),
  });
  const text = await line.send({ bytes, isSound: true, method: "POST" });
  line.close();
  if (!/completed/i.test(text)) throw new Error(text);
}
