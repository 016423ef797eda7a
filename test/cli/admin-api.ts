/** An Admin API that answers what a test says, and remembers what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { command, type Finished } from "./command.ts";

export interface ScriptedAnswer {
  readonly status?: number;
  /** Sent as JSON, a text as it is; undefined for an empty answer. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Asked {
  /** Such as `GET /admin/agents?x=1`. */
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where there was none. */
  readonly body: unknown;
}

export interface AdminApi {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Runs a command against it. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
}

/** Answers by method and path, query included; whatever else it is asked is not found. */
export async function adminApi(
  t: TestContext,
  answers: Readonly<Record<string, ScriptedAnswer>>,
): Promise<AdminApi> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method, url, headers } = request;
      const line = `${method} ${url}`;
      const hasBody = headers["content-length"] !== undefined && headers["content-length"] !== "0";
      asked.push({ line, headers, body: hasBody ? await json(request) : undefined });
      const { status = 200, body, headers: more = {} } = answers[line] ?? NOT_FOUND;
      response.writeHead(status, { "content-type": "application/json", ...more });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    run: (args, env = {}) => command(args, undefined, { A2A_GATEWAY_ADMIN: url, ...env }),
  };
}

const NOT_FOUND: ScriptedAnswer = {
  status: 404,
  body: { error: { code: "NOT_FOUND", message: "no such path" } },
};
