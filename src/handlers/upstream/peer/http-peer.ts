/** An interface over HTTP: JSON-RPC or HTTP+JSON. */
import type { ClientDialect, ClientEvent } from "../../../wire/client.ts";
import { headersOf } from "./headers.ts";
import type { HttpBinding, HttpExchange } from "./http-binding.ts";
import { isEventStream, jsonOf } from "./http-body.ts";
import { openHttpConnection, type HttpAnswer } from "./http-connection.ts";
import { eventsOf } from "./http-events.ts";
import { refusalOf } from "./http-refusal.ts";
import { OpenCalls } from "./open-calls.ts";
import type { Peer, PeerCall, PeerSettings } from "./peer.ts";

const JSON_TYPE = "application/json";
const SSE_TYPE = "text/event-stream";

export function openHttpPeer(
  { url: address, dialect, limits, tls }: PeerSettings,
  bindingOf: (url: URL, dialect: ClientDialect) => HttpBinding,
): Peer {
  const url = new URL(address);
  const binding = bindingOf(url, dialect);
  const connection = openHttpConnection(url, tls);
  const calls = new OpenCalls(limits.connections, limits);
  const { connectTimeout, headTimeout, idleTimeout, maxAnswer, maxEvent } = limits;
  const toCall = { connect: connectTimeout, head: 0, idle: 0 };
  const toStream = { connect: connectTimeout, head: headTimeout, idle: idleTimeout };

  function messageOf(exchange: HttpExchange<unknown>, call: PeerCall, accept: string) {
    const { method, path, body } = exchange;
    const headers = headersOf(dialect, call);
    headers["accept"] = accept;
    headers["accept-encoding"] = "identity";
    if (body !== undefined) {
      headers["content-type"] = JSON_TYPE;
      headers["content-length"] = String(Buffer.byteLength(body));
    }
    return { method, path, headers, body };
  }

  return {
    call: (operation, request, call) =>
      calls.run(call.signal, async (signal) => {
        const exchange = binding.begin(operation, request);
        const message = messageOf(exchange, call, JSON_TYPE);
        const sent = Object.assign(message, { signal, patience: toCall });
        const answer = await connection.send(sent);
        if (!isSuccess(answer)) throw await refusalOf(answer, exchange);
        return exchange.read(await jsonOf(answer.contentType, answer.body, maxAnswer), undefined);
      }),
    stream: (operation, request, call) =>
      // Whoever finds no room to subscribe can ask for the task instead.
      calls.stream(
        { caller: call.signal, waits: operation !== "subscribeToTask" },
        async (signal) => {
          const exchange: HttpExchange<ClientEvent> = binding.begin(operation, request);
          const message = messageOf(exchange, call, SSE_TYPE);
          const sent = Object.assign(message, { signal, patience: toStream });
          const answer = await connection.send(sent);
          if (!isSuccess(answer)) throw await refusalOf(answer, exchange);
          const { contentType, body } = answer;
          if (isEventStream(contentType))
            return eventsOf(body, maxEvent, (json, name) => exchange.read(json, name));
          // An agent that does not stream, or that refuses to, answers in one piece.
          return only(exchange.read(await jsonOf(contentType, body, maxAnswer), undefined));
        },
      ),
    close() {
      calls.close();
      connection.close();
    },
  };
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

async function* only(event: ClientEvent): AsyncGenerator<readonly ClientEvent[]> {
  yield [event];
}
