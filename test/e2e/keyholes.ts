/** The six doors as far as credentials open them. */
import assert from "node:assert/strict";
import { sendHttp } from "../support/http-client.ts";
import { openDoors, Refusal } from "../support/doors.ts";
import { olderGrpc, OlderRefusal, olderRest } from "../support/older-doors.ts";

type Headers = Readonly<Record<string, string>>;

export interface Keyhole {
  readonly name: string;
  /** Whether somebody with these headers, or this metadata, is let in. */
  state(headers: Headers): Promise<"in" | "out">;
  close(): void;
}

const NOBODY = "00000000-0000-7000-8000-000000000000";

/** Whoever is let in learns that there is no such task, by these codes; whoever is not, that credentials are needed. */
const CODES = {
  "JSON-RPC": { in: -32001, out: -32010 },
  "HTTP+JSON": { in: 404, out: 401 },
  gRPC: { in: 5, out: 16 },
} as const;

export function keyholes(port: number): readonly Keyhole[] {
  const rest = olderRest(port);
  const grpc = olderGrpc(port);
  return [
    ...openDoors(port).map((door) =>
      keyhole(`${door.name} 1.0`, CODES[door.name], {
        ask: (headers) => door.call("getTask", { id: NOBODY }, { headers }),
        close: () => door.close(),
      }),
    ),
    keyhole("JSON-RPC 0.3", CODES["JSON-RPC"], {
      ask: (headers) => askOlderRpc(port, headers),
      close: () => undefined,
    }),
    keyhole("HTTP+JSON 0.3", CODES["HTTP+JSON"], {
      ask: (headers) => rest.call("GET", `/tasks/${NOBODY}`, undefined, headers),
      close: () => undefined,
    }),
    keyhole("gRPC 0.3", CODES.gRPC, {
      ask: (headers) => grpc.call("GetTask", { name: `tasks/${NOBODY}` }, headers),
      close: () => grpc.close(),
    }),
  ];
}

interface Ways {
  ask(headers: Headers): Promise<unknown>;
  close(): void;
}

function keyhole(
  name: string,
  codes: { readonly in: number; readonly out: number },
  { ask, close }: Ways,
): Keyhole {
  return {
    name,
    async state(headers) {
      const refusal = await ask(headers).catch((thrown: unknown) => thrown);
      if (!(refusal instanceof Refusal || refusal instanceof OlderRefusal)) throw refusal;
      if (refusal.code === codes.in) return "in";
      assert.equal(refusal.code, codes.out, `${name}: ${refusal.message}`);
      return "out";
    },
    close,
  };
}

/** Without credentials the status is 401, which the client of the other tests does not expect. */
async function askOlderRpc(port: number, headers: Headers): Promise<never> {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tasks/get",
    params: { id: NOBODY },
  });
  const { text } = await sendHttp(port, {
    method: "POST",
    path: "/",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const { error } = JSON.parse(text) as { readonly error: { code: number; message: string } };
  throw new OlderRefusal(error.code, error.message);
}
