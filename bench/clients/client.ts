/** What the load programs need of a client: calls that cost next to nothing, on one connection. */

export interface Answer {
  /** The HTTP status, or the status of gRPC. */
  readonly status: number;
  /** The body of an HTTP answer, or the messages of a gRPC call. */
  readonly messages: readonly Buffer[];
}

export interface Connection {
  /**
   * Sends a request and waits for the whole answer; `onData` sees each piece of the body (HTTP) or each message (gRPC) as
   * it comes, which is then not kept.
   */
  call(request: Buffer, onData?: (data: Buffer) => void): Promise<Answer>;
  close(): void;
}

/** Settles a call from the outside. */
export interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  readonly onData: ((data: Buffer) => void) | undefined;
}

/** A promise with what settles it. */
export function pendingCall(onData: ((data: Buffer) => void) | undefined): {
  readonly promise: Promise<Answer>;
  readonly pending: Pending;
} {
  let settle: Omit<Pending, "onData"> = { resolve() {}, reject() {} };
  const promise = new Promise<Answer>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, pending: { ...settle, onData } };
}
