/** A remote agent of 1.0, or of 0.3, over JSON-RPC: its card is right, and each method answers as a script says. */
import type { TestContext } from "node:test";
import { fakeAgent, type FakeAgent, type Script } from "../fake-agent.ts";
import { json, rpc } from "./answers.ts";

/** By method; of a list, each call takes the next one, and the last one stays. A method without a script is none of the agent's. */
export type Scripts = Readonly<Record<string, Script | readonly Script[]>>;

export interface RpcAgent extends FakeAgent {
  /** The params of each call of a method so far. */
  calls(method: string): readonly Record<string, unknown>[];
  /** Resolves once a method has been called so many times. */
  called(method: string, times?: number): Promise<void>;
  /** Resolves when no call is open. */
  quiet(): Promise<void>;
}

export interface RpcAgentOptions {
  readonly version?: "1.0" | "0.3";
  readonly streaming?: boolean;
  /** How many requests for its card fail before the first one that does not. */
  readonly absences?: number;
}

const unknown = rpc({ error: { code: -32601, message: "Method not found" } });

/** It ends with the test. */
export async function rpcAgent(
  context: TestContext,
  scripts: Scripts,
  { version = "1.0", streaming = true, absences = 0 }: RpcAgentOptions = {},
): Promise<RpcAgent> {
  const calls = new Map<string, Record<string, unknown>[]>();
  const wakers: (() => void)[] = [];
  let open = 0;
  let absent = absences;
  const wake = (): void => {
    for (const waker of wakers.splice(0)) waker();
  };
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise<void>((resolve) => wakers.push(resolve));
  };
  const callsOf = (method: string) => calls.get(method) ?? [];
  const agent = await fakeAgent(context, (response, received) => {
    if (received.method === "GET") {
      if (absent-- > 0) return json({}, 503)(response, received);
      return json(cardOf(received.headers.host ?? "", version, streaming))(response, received);
    }
    const { method, params } = JSON.parse(received.body) as {
      method: string;
      params: Record<string, unknown>;
    };
    open += 1;
    response.on("close", () => {
      open -= 1;
      wake();
    });
    calls.set(method, [...callsOf(method), params]);
    const all = [scripts[method] ?? []].flat();
    const script = all[callsOf(method).length - 1] ?? all.at(-1);
    (script ?? unknown)(response, received);
    wake();
  });
  return {
    ...agent,
    calls: callsOf,
    called: (method, times = 1) => until(() => callsOf(method).length >= times),
    quiet: () => until(() => open === 0),
  };
}

function cardOf(host: string, version: string, streaming: boolean): object {
  const url = `http://${host}/rpc`;
  return {
    name: "Scripted",
    description: "Answers as a script says",
    version: "1",
    capabilities: { streaming },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "any", name: "Any", description: "Whatever", tags: ["any"] }],
    ...(version === "1.0"
      ? { supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] }
      : { url, preferredTransport: "JSONRPC", protocolVersion: "0.3.0" }),
  };
}
