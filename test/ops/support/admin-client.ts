/** The Admin API on a real port, and requests to it. */
import type { TestContext } from "node:test";
import type { IncomingHttpHeaders } from "node:http";
import type { AdminPorts } from "../../../src/ops/admin/ports.ts";
import { createOps } from "../../../src/ops/server.ts";
import { sendHttp } from "../../support/http-client.ts";
import { RecordedLog } from "../../support/recorded-log.ts";
import { scriptedPorts, type ScriptedPorts } from "./scripted-ports.ts";

export interface AdminRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown;
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined for an empty body. */
  readonly body: unknown;
}

export interface AdminInstance {
  readonly port: number;
  readonly ports: ScriptedPorts;
  readonly log: RecordedLog;
  call(method: string, path: string, request?: AdminRequest): Promise<AdminAnswer>;
}

export async function startAdmin(
  t: TestContext,
  changes: Partial<AdminPorts> = {},
): Promise<AdminInstance> {
  const ports = scriptedPorts();
  const log = new RecordedLog();
  const ready = async () => ({ draining: false });
  const ops = createOps({ ready, log, admin: { ...ports, ...changes } });
  const { port } = await ops.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => ops.close());
  return {
    port,
    ports,
    log,
    async call(method, path, { headers = {}, body } = {}) {
      const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const asked = { method, path, headers: { ...bodyHeaders(sent, headers), ...headers } };
      const { text, ...answer } = await sendHttp(
        port,
        sent === undefined ? asked : { ...asked, body: sent },
      );
      const isJson = answer.headers["content-type"] === "application/json" && text !== "";
      return { ...answer, text, body: isJson ? (JSON.parse(text) as unknown) : undefined };
    },
  };
}

function bodyHeaders(body: string | undefined, given: object): Record<string, string> {
  if (body === undefined) return {};
  return {
    "content-type": "application/json",
    ...("transfer-encoding" in given ? {} : { "content-length": `${Buffer.byteLength(body)}` }),
  };
}

/** The members of the error that an answer holds. */
export function errorIn({ body }: AdminAnswer): {
  readonly code?: string;
  readonly message?: string;
  readonly problems?: readonly { readonly path: string; readonly what: string }[];
} {
  return (body as { readonly error?: object } | undefined)?.error ?? {};
}
