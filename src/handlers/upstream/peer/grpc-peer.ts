/** An interface over gRPC (1.0: spec 10; 0.3: spec 3.2.2). */
import type { RequestOf } from "../../../protocol/service.ts";
import type { ClientEvent, ClientOperation, ClientOperations } from "../../../wire/client.ts";
import { wrong } from "../../fields.ts";
import { callMessages, type GrpcRequest } from "./grpc-call.ts";
import { CALLS_PER_CHANNEL, GrpcChannels } from "./grpc-channels.ts";
import { grpcFailure } from "./grpc-failure.ts";
import { grpcTargetOf } from "./grpc-target.ts";
import { headersOf } from "./headers.ts";
import { OpenCalls } from "./open-calls.ts";
import type { Peer, PeerCall, PeerSettings } from "./peer.ts";

export function openGrpcPeer({ url, dialect, limits, tls }: PeerSettings): Peer {
  const { connectTimeout, headTimeout, idleTimeout, callTimeout, maxAnswer, maxEvent } = limits;
  const maxMessage = maxAnswer === 0 || maxEvent === 0 ? 0 : Math.max(maxAnswer, maxEvent);
  const channels = new GrpcChannels(grpcTargetOf(url, tls), maxMessage);
  const calls = new OpenCalls(limits.connections * CALLS_PER_CHANNEL, limits);
  const toCall = { connect: connectTimeout, head: 0, idle: 0 };
  const toStream = { connect: connectTimeout, head: headTimeout, idle: idleTimeout };

  async function* answersTo<N extends ClientOperation>(
    operation: N,
    request: RequestOf<N>,
    options: Pick<GrpcRequest, "deadline" | "patience" | "signal"> & {
      readonly call: PeerCall;
      readonly maxBytes: number;
    },
  ): AsyncGenerator<ClientOperations[N]> {
    const { deadline, patience, signal, call, maxBytes } = options;
    const path = dialect.grpc.pathOf(operation);
    const body = dialect.grpc.encode(operation, request);
    const headers = headersOf(dialect, call);
    const channel = channels.take();
    const onDeadChannel = () => channels.discard(channel);
    const sent = { path, body, headers, deadline, patience, signal, onDeadChannel };
    try {
      for await (const message of callMessages(channel.client, sent)) {
        if (maxBytes > 0 && message.length > maxBytes)
          throw wrong("", `a message is longer than ${maxBytes} bytes`);
        yield dialect.grpc.decode(operation, message);
      }
    } catch (thrown) {
      throw grpcFailure(thrown, dialect, maxMessage);
    } finally {
      channels.release(channel);
    }
  }

  return {
    call: (operation, request, call) =>
      calls.run(call.signal, async (signal) => {
        const deadline = callTimeout > 0 ? Date.now() + callTimeout : Number.POSITIVE_INFINITY;
        const options = { deadline, patience: toCall, signal, call, maxBytes: maxAnswer };
        const answers = await allOf(answersTo(operation, request, options));
        const [answer] = answers;
        if (answer === undefined || answers.length > 1)
          throw wrong("", `${answers.length} messages instead of one`);
        return answer;
      }),
    stream: (operation, request, call) =>
      // Whoever finds no room to subscribe can ask for the task instead.
      calls.stream(
        { caller: call.signal, waits: operation !== "subscribeToTask" },
        async function* (signal): AsyncGenerator<readonly ClientEvent[]> {
          const deadline = Number.POSITIVE_INFINITY;
          const options = { deadline, patience: toStream, signal, call, maxBytes: maxEvent };
          for await (const event of answersTo(operation, request, options)) {
            yield [event];
            if (event.isLast) return;
          }
        },
      ),
    close() {
      calls.close();
      channels.close();
    },
  };
}

/** A second answer to a call is one too many; whatever follows is not read. */
async function allOf<T>(answers: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const answer of answers) {
    all.push(answer);
    if (all.length > 1) break;
  }
  return all;
}
