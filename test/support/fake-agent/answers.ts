/** What a fake agent may answer over HTTP. */
import { gzipSync } from "node:zlib";
import type { Script } from "../fake-agent.ts";

type Headers = Readonly<Record<string, string>>;

export function body(type: string, content: string | Buffer, status = 200, headers: Headers = {}) {
  const script: Script = (response) => {
    response.writeHead(status, { "content-type": type, ...headers }).end(content);
  };
  return script;
}

export function json(value: unknown, status = 200, headers: Headers = {}): Script {
  return body("application/json", JSON.stringify(value), status, headers);
}

/** A JSON-RPC response with the request's id. */
export function rpc(members: { readonly result?: unknown; readonly error?: unknown }): Script {
  return (response, received) => json(rpcOf(received.body, members))(response, received);
}

export function rpcOf(request: string, members: object): object {
  const { id } = JSON.parse(request) as { id: unknown };
  return { jsonrpc: "2.0", id, ...members };
}

/** A stream of this text, and what becomes of it. */
export function events(text: string | Buffer, then: "end" | "reset" | "silence" = "end"): Script {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (then === "end") response.end(text);
    else response.write(text, () => void (then === "reset" && response.socket?.resetAndDestroy()));
  };
}

/** Each result as an event, in a JSON-RPC response. */
export function rpcEvents(results: readonly unknown[], then?: "end" | "reset" | "silence"): Script {
  return (response, received) => {
    const texts = results.map((result) => JSON.stringify(rpcOf(received.body, { result })));
    events(texts.map((text) => `data: ${text}\n\n`).join(""), then)(response, received);
  };
}

export const silence: Script = () => undefined;

export const reset: Script = (response) => response.socket?.resetAndDestroy();

/** A text of so many bytes after decompression. */
export function gzipBomb(bytes: number): Script {
  const headers = { "content-encoding": "gzip" };
  return body("application/json", gzipSync(Buffer.alloc(bytes, " ")), 200, headers);
}

/** A line without an end, for as long as somebody reads. */
export function endlessLine(type: string): Script {
  return (response) => {
    response.writeHead(200, { "content-type": type });
    const more = Buffer.alloc(64 * 1024, "x");
    const write = (): void => {
      while (!response.destroyed && response.write(more));
    };
    response.on("drain", write);
    response.write("data: ");
    write();
  };
}
