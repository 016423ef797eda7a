/** Finds out who calls before anything of a message is read: what strangers send takes no memory. */
import {
  ServerInterceptingCall,
  type Metadata,
  type ServerInterceptor,
  type ServerListener,
} from "@grpc/grpc-js";
import type { Principal } from "../../protocol/principal.ts";
import type { CallHead } from "./call.ts";
import { FAULT } from "./status.ts";

/** What is known of a call once its caller is let in. */
export interface Admission {
  readonly requestId: string;
  readonly principal: Principal;
}

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
  readonly #admissions = new WeakMap<Metadata, Admission>();

  /** @param path that of the method, as HTTP/2 names it */
  add(path: string, host: Host): void {
    this.#hosts.set(path, host);
  }

  /** That of a call which has come as far as its handler; undefined where nobody was asked. */
  admissionOf({ metadata }: Pick<CallHead, "metadata">): Admission | undefined {
    return this.#admissions.get(metadata);
  }

  /** Calls of methods that have no host pass: health and reflection are everybody's. */
  readonly interceptor: ServerInterceptor = ({ path }, call) => {
    const host = this.#hosts.get(path);
    if (host === undefined) return new ServerInterceptingCall(call);
    const listener: ServerListener = {
      onReceiveMetadata: (metadata, proceed) =>
        this.#receive(host, call, { metadata, proceed: () => proceed(metadata) }),
    };
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };

  /** grpc-js reads a message once its handler has been told of the metadata. */
  #receive(
    host: Host,
    call: Parameters<ServerInterceptor>[1],
    { metadata, proceed }: { readonly metadata: Metadata; readonly proceed: () => void },
  ): void {
    const head: CallHead = {
      metadata,
      getPeer: () => call.getPeer(),
      getHost: () => call.getHost(),
      getAuthContext: () => call.getAuthContext(),
    };
    const requestId = host.requestIdOf(head);
    const enter = (principal: Principal): void => {
      this.#admissions.set(metadata, { requestId, principal });
      proceed();
    };
    const refuse = (thrown: unknown): void => call.sendStatus(host.statusOf(thrown, requestId));
    let asked;
    try {
      asked = host.admit(head, requestId);
    } catch (thrown) {
      return refuse(thrown);
    }
    if (asked instanceof Promise) asked.then(enter, refuse).catch(() => call.sendStatus(FAULT));
    else enter(asked);
  }
}
