/** Raw answers, of which nothing is read away: two of them can be compared to the last byte. */
import type { Client, Metadata, ServiceError } from "@grpc/grpc-js";
import type { ServiceDefinition } from "@grpc/proto-loader";
import { eventsOf, openHttp, type HttpRequest } from "../support/http-client.ts";

/** What a caller is told, in words that are the same on all doors. */
export type Verdict =
  "allowed" | "unauthenticated" | "forbidden" | "not found" | "rate limited" | `other ${string}`;

export interface Answer {
  readonly verdict: Verdict;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body, or its first event; on gRPC the status, or the first message as JSON. */
  readonly text: string;
}

/** Of a stream the first event, and then the caller leaves. */
export async function httpAnswer(port: number, request: HttpRequest): Promise<Answer> {
  const incoming = await openHttp(port, request);
  const { date: _, "x-request-id": __, ...headers } = incoming.headers;
  const status = incoming.statusCode ?? 0;
  let text = "";
  if (headers["content-type"] === "text/event-stream") {
    for await (const { data } of eventsOf(incoming)) {
      text = data;
      break;
    }
    incoming.destroy();
  } else text = (await incoming.setEncoding("utf8").toArray()).join("");
  return { verdict: httpVerdict(status, text), headers, text };
}

function httpVerdict(status: number, text: string): Verdict {
  if (status === 401) return "unauthenticated";
  if (status === 403) return "forbidden";
  if (status === 429) return "rate limited";
  if (status === 404 && !/METHOD_NOT_FOUND|-32601/.test(text)) return "not found";
  if (status !== 200) return `other ${status} ${text}`;
  const code = /"error":\{"code":(-?\d+)/.exec(text)?.[1];
  if (code === "-32001") return "not found";
  return code === undefined ? "allowed" : `other ${text}`;
}

/** Of a stream the first message, and then the caller leaves. */
export function grpcAnswer(
  client: Client,
  definition: ServiceDefinition[string],
  message: object,
  metadata: Metadata,
): Promise<Answer> {
  const { path, requestSerialize, responseDeserialize, responseStream } = definition;
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, answer?: unknown): void =>
      resolve(error ? refusalOf(error) : allowed(answer));
    const from = [path, requestSerialize, responseDeserialize, message, metadata] as const;
    if (responseStream) {
      const call = client.makeServerStreamRequest(...from);
      call.on("error", (error: ServiceError) => done(error));
      call.on("end", () => done(null, "no event"));
      call.once("data", (event: unknown) => {
        done(null, event);
        call.cancel();
      });
    } else client.makeUnaryRequest(...from, done);
  });
}

function allowed(answer: unknown): Answer {
  return { verdict: "allowed", headers: {}, text: JSON.stringify(answer) };
}

function refusalOf({ code, details, metadata }: ServiceError): Answer {
  const { date: _, ...headers } = metadata.getMap();
  const [status] = metadata.get("grpc-status-details-bin");
  const bytes = status instanceof Buffer ? status.toString("latin1") : "";
  return {
    verdict: GRPC_VERDICTS[code] ?? `other ${code} ${details}`,
    headers: { ...headers, "grpc-status-details-bin": undefined },
    text: `${code} ${details} ${bytes}`,
  };
}

const GRPC_VERDICTS: Readonly<Record<number, Verdict>> = {
  5: "not found",
  7: "forbidden",
  8: "rate limited",
  16: "unauthenticated",
};
