/** Finds out who calls before anything of a message is read: what strangers send takes no memory. */
import { Metadata, ServerInterceptingCall, type ServerInterceptor } from "@grpc/grpc-js";
import type { Principal } from "../../protocol/principal.ts";
import type { CallHead } from "./call.ts";
import { FAULT } from "./status.ts";

/** What is known of a call once its caller is let in. A class, so that what metadata carries is known for one. */
export class Admission {
  readonly requestId: string;
  readonly principal: Principal;

  constructor(requestId: string, principal: Principal) {
    this.requestId = requestId;
    this.principal = principal;
  }
}

/** Under which the metadata of a call carries its admission: no metadata of a caller's gets there. */
const ADMISSION = "a2a-admission";

/** Who decides about the calls of one method. */
export interface Host {
  /** Throws, or rejects with, what keeps a caller out; at once where nobody has to be waited for. */
  admit(head: CallHead, requestId: string): Principal | Promise<Principal>;
  requestIdOf(head: CallHead): string;
  /** What a caller is told who is not let in. */
  statusOf(thrown: unknown, requestId: string): Parameters<ServerInterceptingCall["sendStatus"]>[0];
}

export class Reception {
  readonly #hosts = new Map<string, Host>();

  /** @param path that of the method, as HTTP/2 names it */
  add(path: string, host: Host): void {
    this.#hosts.set(path, host);
  }

  /** That of a call which has come as far as its handler; undefined where nobody was asked. */
  admissionOf({ metadata }: Pick<CallHead, "metadata">): Admission | undefined {
    const carried = metadata.getOpaque(ADMISSION);
    return carried instanceof Admission ? carried : undefined;
  }

  /** Calls of methods that have no host pass: health and reflection are everybody's. */
  readonly interceptor: ServerInterceptor = ({ path }, call) => {
    const host = this.#hosts.get(path);
    if (host === undefined) return new ServerInterceptingCall(call);
    return new ReceivedCall(call, (received, proceed) => this.#receive(host, received, proceed));
  };

  /** grpc-js reads a message once its handler has been told of the metadata. */
  #receive(host: Host, call: ReceivedCall, proceed: () => void): void {
    const requestId = host.requestIdOf(call);
    const enter = (principal: Principal): void => {
      call.metadata.setOpaque(ADMISSION, new Admission(requestId, principal));
      proceed();
    };
    const refuse = (thrown: unknown): void => call.sendStatus(host.statusOf(thrown, requestId));
    let asked;
    try {
      asked = host.admit(call, requestId);
    } catch (thrown) {
      return refuse(thrown);
    }
    if (asked instanceof Promise) asked.then(enter, refuse).catch(() => call.sendStatus(FAULT));
    else enter(asked);
  }
}

/** Before there is any. */
const NONE = new Metadata();

type NextCall = ConstructorParameters<typeof ServerInterceptingCall>[0];
type Listener = Parameters<ServerInterceptingCall["start"]>[0];
type Receive = (call: ReceivedCall, proceed: () => void) => void;

/**
 * A call that begins once `receive` lets it proceed, and that nobody begins who has left before. All else goes through as
 * it is: what the class is for, to wait in the midst of an answer, costs a tenth of a small call. grpc-js takes no other.
 */
class ReceivedCall extends ServerInterceptingCall implements CallHead {
  metadata = NONE;
  readonly #next: NextCall;
  readonly #receive: Receive;
  #isCancelled = false;

  constructor(next: NextCall, receive: Receive) {
    super(next);
    this.#next = next;
    this.#receive = receive;
  }

  override start(listener: Listener): void {
    this.#next.start({
      onReceiveMetadata: (metadata) => {
        this.metadata = metadata;
        this.#receive(this, () => {
          if (!this.#isCancelled) listener.onReceiveMetadata(metadata);
        });
      },
      onReceiveMessage: (message) => listener.onReceiveMessage(message),
      onReceiveHalfClose: () => listener.onReceiveHalfClose(),
      onCancel: () => {
        this.#isCancelled = true;
        listener.onCancel();
      },
    });
  }

  override sendMetadata(metadata: Metadata): void {
    this.#next.sendMetadata(metadata);
  }

  override sendMessage(message: unknown, callback: () => void): void {
    this.#next.sendMessage(message, callback);
  }

  override sendStatus(status: Parameters<ServerInterceptingCall["sendStatus"]>[0]): void {
    this.#next.sendStatus(status);
  }
}
