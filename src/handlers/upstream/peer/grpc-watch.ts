/** How long each step of a gRPC call takes. */
import { connectivityState, type Client, type ClientReadableStream } from "@grpc/grpc-js";
import { watchSteps, type Patience } from "../../step-watch.ts";

export type Step = keyof Patience;

const ORDER: Readonly<Record<Step, number>> = { connect: 0, head: 1, idle: 2 };
export interface CallWatch {
  /** While a message is with its reader: the time that this takes is not the agent's. */
  pause(): void;
  resume(): void;
  end(): void;
  /** The step that took too long. */
  late(): { readonly step: Step; readonly error: Error } | undefined;
}

interface Watched {
  readonly messages: ClientReadableStream<Buffer>;
  readonly patience: Patience;
  readonly onLate: () => void;
}

/** Servers may send no metadata before the first message: either is the head. */
export function watchCall(client: Client, { messages, patience, onLate }: Watched): CallWatch {
  let step: Step = "connect";
  let isOver = false;
  let late: { step: Step; error: Error } | undefined;
  const watch = watchSteps(patience, (error) => {
    late = { step, error };
    onLate();
  });
  const advance = (next: Step) => {
    if (isOver || ORDER[next] <= ORDER[step]) return;
    step = next;
    watch.begin(next);
  };
  watch.begin("connect");
  onceConnected(client, () => advance("head"));
  messages.once("metadata", () => advance("idle"));
  return {
    pause() {
      step = "idle";
      watch.end();
    },
    resume: () => watch.begin("idle"),
    end() {
      isOver = true;
      watch.end();
    },
    late: () => late,
  };
}

function onceConnected(client: Client, onConnected: () => void): void {
  const channel = client.getChannel();
  const check = () => {
    const state = channel.getConnectivityState(false);
    if (state === connectivityState.READY) return onConnected();
    // What waits for a connection fails with it.
    const isHopeless =
      state === connectivityState.SHUTDOWN || state === connectivityState.TRANSIENT_FAILURE;
    if (!isHopeless) channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, check);
  };
  check();
}
