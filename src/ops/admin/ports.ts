/** What the Admin API works with, and who may use it: given to it by whoever wires the gateway. */
import type { AgentControl } from "../../core/ports/agent-control.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { ApiKeyControl } from "../../core/ports/api-key-store.ts";
import type { DeliveryControl, SentCounts } from "../../core/ports/push-store.ts";
import type { TaskArchive } from "../../core/ports/task-search.ts";
import type { StoredTask } from "../../core/ports/task-store.ts";
import type { Task, TaskOutput } from "../../protocol/model.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { PeerCertificate } from "../../transports/tls-peer.ts";

export interface AdminPorts {
  readonly access: AdminAccess;
  /** Told of every change, and of whoever was not let in; undefined: nobody is. */
  readonly audit?: Audit | undefined;
  readonly agents: AgentControl;
  readonly tasks: TaskArchive;
  /** The task that a store holds, with the entries of its tail applied. */
  readonly taskOf: (stored: StoredTask) => Task;
  /**
   * Cancels a task as its owner would (spec 3.1.5) and resolves with it as it then is. Throws TASK_NOT_FOUND,
   * TASK_NOT_CANCELABLE for one that has ended otherwise, and UNAVAILABLE where its agent is not served.
   */
  readonly cancelTask: (agent: string, owner: string, id: string) => Promise<TaskOutput>;
  readonly keys: ApiKeyControl;
  readonly deliveries: DeliveryControl & {
    /** What was sent since the start. */
    sent(): SentCounts;
  };
}

export interface AdminAccess {
  /** Lets in whoever sends it; undefined: there is none, and without callers nobody is asked on a loopback address. */
  readonly token: string | undefined;
  /** Whether the operations port listens on an address that only this machine reaches. */
  readonly isLoopback: boolean;
  /** Callers of the agents that are let in as well; undefined: none. With them everybody is asked, on any address. */
  readonly callers: AdminCallers | undefined;
}

export interface AdminCallers {
  /**
   * Who sends a request. Throws UNAUTHENTICATED for credentials that are missing or not good, RATE_LIMITED after too many
   * guesses, UNAVAILABLE where nobody can say at the moment.
   */
  readonly authenticate: (credentials: AdminCredentials) => Principal | Promise<Principal>;
  /** What whoever is let in must have. */
  readonly scope: string;
}

/** What comes with a request and may say who sent it. */
export interface AdminCredentials {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: { get(name: string): string | null };
  /** What the connection's other end showed, of an authority that the operations port trusts. */
  readonly certificate: PeerCertificate | undefined;
  /** The IP address of the connection's other end. */
  readonly address: string;
}
