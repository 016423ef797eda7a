/** A remote agent that can be called: its card, the interfaces that work, credentials, and another try where that is safe. */
import type { Log } from "../../core/ports/log.ts";
import type { AgentCard } from "../../protocol/agent-card.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { RequestOf } from "../../protocol/service.ts";
import type { ClientEvent, ClientOperation, ClientOperations } from "../../wire/client.ts";
import { clientDialectOf } from "../../wire/client-dialects.ts";
import type { Signal } from "../cut.ts";
import { CardSource, type CardSourceStatus } from "./card-source.ts";
import { openCredentials, type Credentials, type Headers } from "./credentials/credentials.ts";
import { tlsMaterialOf, type TlsMaterial } from "./credentials/tls-material.ts";
import { checkConfiguredCard } from "./discovery/check-card.ts";
import type { Discovered } from "./discovery/discover.ts";
import type { FoundCard } from "./discovery/found-card.ts";
import { keyOf, type UpstreamInterface } from "./discovery/interfaces.ts";
import { isBusy } from "./failures.ts";
import {
  openSignatureCheck,
  type SignatureCheck,
  type VerifyCard,
} from "./discovery/signature-check.ts";
import { Failover, type InterfaceStatus, type Verdict } from "./failover.ts";
import { checkInterface } from "./health/check.ts";
import { HealthChecks, type Health } from "./health/health.ts";
import { openPeer } from "./peer/open-peer.ts";
import { pause } from "./pause.ts";
import { errorOf, PeerFailure } from "./peer/peer-failure.ts";
import type { Peer, PeerCall, StreamOperation, UnaryOperation } from "./peer/peer.ts";
import type { UpstreamSettings } from "./settings.ts";
import { backoffOf, type Timers } from "./timers.ts";

/** What goes along with a call. */
export interface RemoteCall {
  /** Of the caller, as far as the agent's configuration lets them through. */
  readonly headers: Headers;
  /** URIs. */
  readonly extensions: readonly string[];
  readonly signal: Signal;
  readonly place: Place;
  /** Whether it is also made where calls are held back, to find out if the agent is back. Default: no. */
  readonly isScout?: boolean;
}

/** Where a task is: calls for it go there before they go elsewhere, and it is where one of them succeeded last. */
export interface Place {
  at: UpstreamInterface | undefined;
}

/** A stream whose first events are there. */
export interface OpenedStream {
  readonly first: IteratorResult<readonly ClientEvent[]>;
  /** Goes on after them; those that come together are told together. */
  readonly rest: AsyncIterator<readonly ClientEvent[]>;
}

export interface RemoteStatus extends CardSourceStatus {
  readonly interfaces: readonly (InterfaceStatus & { readonly health: Health | undefined })[];
}

export interface RemoteDeps {
  readonly baseDir: string;
  readonly log: Log;
  readonly timers: Timers;
  /** The cards that were found before this start. */
  readonly lastCards: readonly FoundCard[];
  readonly verifyCard: VerifyCard | undefined;
  /** Told of each card that differs from the one before. */
  changed(discovered: Discovered): void;
}

/** Throws a SettingError for credentials or keys that cannot be read; an agent that cannot be reached is no failure. */
export async function openRemote(settings: UpstreamSettings, deps: RemoteDeps): Promise<Remote> {
  const { baseDir, timers } = deps;
  await checkConfiguredCard(settings, baseDir);
  const credentials = await openCredentials(settings, { baseDir, now: timers.now });
  const tls = await tlsMaterialOf(settings.tls ?? {}, baseDir);
  const signatureCheck = await openSignatureCheck(settings, deps);
  return new Remote({ ...deps, settings, credentials, tls, signatureCheck });
}

interface Parts extends RemoteDeps {
  readonly settings: UpstreamSettings;
  readonly credentials: Credentials;
  readonly tls: TlsMaterial;
  readonly signatureCheck: SignatureCheck | undefined;
}

export class Remote {
  readonly #parts: Parts;
  readonly #source: CardSource;
  readonly #health: HealthChecks;
  readonly #failover: Failover;
  readonly #peers = new Map<string, Peer>();
  #isClosed = false;

  constructor(parts: Parts) {
    const { settings, credentials, tls, timers, log } = parts;
    this.#parts = parts;
    const headers = (): Promise<Headers> => credentials.headersFor({});
    this.#source = CardSource.open(settings, {
      ...parts,
      headers,
      refused: (sent) => credentials.refused(sent),
      changed: (discovered) => {
        this.#forgetPeers(discovered);
        parts.changed(discovered);
      },
    });
    this.#health = HealthChecks.open({
      interval: settings.health.interval,
      interfaces: () => this.#interfaces(),
      check: (target, signal) => {
        const cards = (): readonly FoundCard[] => this.#source.current().cards;
        return checkInterface(target, { cards, headers, tls }, signal);
      },
      isUp: (target) => this.#failover.ease(target),
      timers,
      log,
    });
    this.#failover = new Failover({
      breaker: settings.breaker,
      now: timers.now,
      isDown: (target) => this.#health.isDown(target),
      left: () => this.#health.hasten(),
    });
  }

  /** What the agent says of itself. Throws UNAVAILABLE as long as it has not been reached. */
  discovered(): Discovered {
    return this.#source.current();
  }

  /** The agent's card; undefined as long as it has not been reached. */
  card(): AgentCard | undefined {
    return this.#source.status().isKnown ? this.#source.current().card : undefined;
  }

  /** Throws an A2AError: what the agent answered, or why it could not be reached. */
  call<N extends UnaryOperation>(
    operation: N,
    request: RequestOf<N>,
    call: RemoteCall,
  ): Promise<ClientOperations[N]> {
    return this.#tried(operation, call, (peer, target, along) =>
      peer.call(operation, withTenant(request, target), along),
    );
  }

  /** Resolves with the first events. Throws as `call` does; what comes later throws a PeerFailure when it is cut. */
  open<N extends StreamOperation>(
    operation: N,
    request: RequestOf<N>,
    call: RemoteCall,
  ): Promise<OpenedStream> {
    return this.#tried(operation, call, async (peer, target, along) => {
      const events = peer.stream(operation, withTenant(request, target), along);
      const rest = events[Symbol.asyncIterator]();
      return { first: await rest.next(), rest };
    });
  }

  status(): RemoteStatus {
    const interfaces = this.#failover
      .status(this.#interfaces())
      .map((each) => Object.assign({ health: this.#health.of(each.interface) }, each));
    return { ...this.#source.status(), interfaces };
  }

  /** Asks for the card now, and checks each interface, unless that is going on already. Never rejects. */
  async refresh(): Promise<void> {
    await this.#source.refresh();
    await this.#health.checkAll();
  }

  /** Cuts every call, and refuses further ones. */
  close(): void {
    this.#isClosed = true;
    this.#source.close();
    this.#health.close();
    for (const peer of this.#peers.values()) peer.close();
    this.#peers.clear();
  }

  #interfaces(): readonly UpstreamInterface[] {
    return this.#source.status().isKnown ? this.#source.current().interfaces : [];
  }

  /** Another try, after a while, where the agent has surely not seen the call, or where it changes nothing. */
  async #tried<T>(operation: ClientOperation, call: RemoteCall, work: Work<T>): Promise<T> {
    const { settings, timers } = this.#parts;
    const { backoff, maxBackoff } = settings.retries;
    const attempts = call.isScout ? 1 : settings.retries.attempts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#withCredentials(call, work);
      } catch (thrown) {
        if (!PeerFailure.is(thrown)) throw thrown;
        // A call that found no connection free has waited for one.
        const isSafe = !isBusy(thrown) && (thrown.retryable || REPEATABLE.has(operation));
        if (!isSafe || attempt >= attempts || call.signal.aborted) throw errorOf(thrown);
        const wait = backoffOf(attempt, { first: backoff, most: maxBackoff }, timers.random());
        await pause(timers, wait, call.signal);
      }
    }
  }

  /** Once more with other credentials, where the agent refused those that it got and others are to be had. */
  async #withCredentials<T>(call: RemoteCall, work: Work<T>): Promise<T> {
    const { credentials } = this.#parts;
    const headers = await credentials.headersFor(call.headers);
    try {
      return await this.#somewhere(call, headers, work);
    } catch (thrown) {
      const isRefused = PeerFailure.is(thrown) && thrown.status === 401;
      if (!isRefused || !credentials.refused(headers)) throw thrown;
      return this.#somewhere(call, await credentials.headersFor(call.headers), work);
    }
  }

  #somewhere<T>(remoteCall: RemoteCall, headers: Headers, work: Work<T>): Promise<T> {
    const { interfaces } = this.discovered();
    const { place, isScout = false, extensions, signal } = remoteCall;
    const call: PeerCall = { headers, extensions, signal };
    return this.#failover.run({
      interfaces,
      first: place.at && keyOf(place.at),
      isScout,
      work: async (target) => {
        const result = await work(this.#peerOf(target), target, call);
        place.at = target;
        return result;
      },
      verdictOf: (thrown) => verdictOf(thrown, signal),
    });
  }

  #peerOf(target: UpstreamInterface): Peer {
    if (this.#isClosed) throw new A2AError("UNAVAILABLE", "the agent is no longer called");
    const key = keyOf(target);
    const known = this.#peers.get(key);
    if (known !== undefined) return known;
    const { settings, tls } = this.#parts;
    const { url, binding, version } = target;
    const dialect = clientDialectOf(version);
    if (dialect === undefined) throw new Error(`no client for version ${version}`);
    // To gRPC, keys that are given say that a plain `host:port` is to be called over TLS.
    const own = settings.tls === undefined ? undefined : tls;
    const peer = openPeer({ url, binding, dialect, limits: settings, tls: own });
    this.#peers.set(key, peer);
    return peer;
  }

  /** Of interfaces that the card has no longer. Calls on their way are left to their end. */
  #forgetPeers({ interfaces }: Discovered): void {
    const keys = new Set(interfaces.map(keyOf));
    for (const key of this.#peers.keys()) if (!keys.has(key)) this.#peers.delete(key);
  }
}

type Work<T> = (peer: Peer, target: UpstreamInterface, call: PeerCall) => Promise<T>;

/** They change no more when they come again. */
const REPEATABLE: ReadonlySet<ClientOperation> = new Set([
  "getTask",
  "subscribeToTask",
  "cancelTask",
]);

function withTenant<R extends { readonly tenant?: string }>(
  request: R,
  { tenant }: UpstreamInterface,
): R {
  return tenant === undefined ? request : { ...request, tenant };
}

function verdictOf(thrown: unknown, signal: Signal): Verdict {
  if (signal.aborted) return "withdrawn";
  if (isBusy(thrown)) return "busy";
  if (A2AError.is(thrown)) return thrown.reason === "TASK_NOT_FOUND" ? "unknown" : "answered";
  return PeerFailure.is(thrown) && thrown.retryable ? "unreached" : "failed";
}
