/** Ends HTTP/2 connections that make work and want no answer, and calls whose message does not arrive. */
import type { EventEmitter } from "node:events";
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { watchDeafSessions } from "./deaf-sessions.ts";

export interface SessionLimits {
  /** Streams that are open on a connection at a time. */
  readonly streams: number;
  /** PING, SETTINGS and RST_STREAM frames that a connection may send within ten seconds. */
  readonly controlFrames: number;
  /** How long a connection may have no stream, in milliseconds. */
  readonly idleTimeout: number;
  /** How long a request may take to arrive, in milliseconds. */
  readonly requestTimeout: number;
}

const WINDOW_MS = 10_000;
/** How long the farewell of an idle connection may take, in milliseconds. */
const CLOSING_MS = 1_000;

export interface SessionGuard {
  /** Resolves when no connection is on its way to its end. */
  settled(): Promise<void>;
  stop(): void;
}

/** Watches the connections of HTTP/2 servers; `stop` ends that. */
export function guardSessions(
  servers: readonly EventEmitter[],
  limits: SessionLimits,
): SessionGuard {
  const arrivals = watchArrivals(limits.requestTimeout);
  const idle = watchIdle(limits.idleTimeout);
  const deaf = watchDeafSessions();
  for (const server of servers)
    server.on("session", (session: ServerHttp2Session) => {
      const count = countControlFrames(session, limits.controlFrames);
      const streams = idle.watch(session);
      deaf.watch(session);
      session.on("ping", count).on("remoteSettings", count);
      session.on("stream", (stream, headers) => {
        if (isEverybodys(headers[":path"])) limitBytes(stream);
        streams.opened();
        stream.once("aborted", count).once("close", streams.closed);
        arrivals.add(stream);
      });
    });
  return {
    settled: () => deaf.settled(),
    stop() {
      arrivals.stop();
      idle.stop();
      deaf.stop();
    },
  };
}

/** Of a call that nobody is asked who makes it, in bytes: no more than the window of a stream that is not read. */
const MAX_PUBLIC_BYTES = 64 * 1024;

/** Health and reflection, whose messages are read whoever sends them. */
function isEverybodys(path: string | undefined): boolean {
  return path?.startsWith("/grpc.") === true;
}

/** Strangers could have as much kept as there are streams, each with the largest message. */
function limitBytes(stream: ServerHttp2Stream): void {
  let received = 0;
  stream.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > MAX_PUBLIC_BYTES) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
}

function countControlFrames(session: ServerHttp2Session, most: number): () => void {
  let counted = 0;
  let since = performance.now();
  return () => {
    const now = performance.now();
    if (now - since >= WINDOW_MS) {
      counted = 0;
      since = now;
    }
    counted++;
    if (counted > most && !session.destroyed)
      session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  };
}

/**
 * Most requests are whole within the tick that they begin in: those that are not after a while are few, and looked at
 * until they are. A timer for each stream would cost more than all the rest.
 */
function watchArrivals(timeoutMs: number) {
  const late = new Map<ServerHttp2Stream, number>();
  let begun: ServerHttp2Stream[] = [];
  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const [stream, since] of late)
        if (hasArrived(stream)) late.delete(stream);
        else if (now - since >= timeoutMs) stream.close(constants.NGHTTP2_CANCEL);
      for (const stream of begun) if (!hasArrived(stream)) late.set(stream, now);
      begun = [];
    },
    Math.min(100, timeoutMs / 4),
  ).unref();
  return {
    add: (stream: ServerHttp2Stream) => void begun.push(stream),
    stop: () => clearInterval(sweep),
  };
}

interface Streams {
  open: number;
  /** When the last one ended. */
  idleSince: number;
}

/**
 * Ends connections without streams. That of grpc-js waits for ever for a peer that has stopped within a frame, or that
 * was told to go away for what it has sent.
 */
function watchIdle(timeoutMs: number) {
  const watched = new Map<ServerHttp2Session, Streams>();
  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const [session, { open, idleSince }] of watched) {
        if (open > 0 || now - idleSince < timeoutMs) continue;
        if (now - idleSince >= timeoutMs + CLOSING_MS) session.destroy();
        else if (!session.closed) session.close();
      }
    },
    Math.min(1_000, timeoutMs / 4),
  ).unref();
  return {
    watch(session: ServerHttp2Session) {
      const streams: Streams = { open: 0, idleSince: performance.now() };
      watched.set(session, streams);
      session.once("close", () => watched.delete(session));
      return {
        opened: () => void streams.open++,
        closed: () => {
          streams.open--;
          streams.idleSince = performance.now();
        },
      };
    },
    stop: () => clearInterval(sweep),
  };
}

function hasArrived(stream: ServerHttp2Stream): boolean {
  return stream.endAfterHeaders || stream.readableEnded || stream.closed || stream.destroyed;
}
