/** Ends HTTP/2 connections that have been broken off and are read no further. */
import type { ServerHttp2Session } from "node:http2";

/** How long what is to be sent may wait before a connection is suspected, in milliseconds. */
const PATIENCE_MS = 2_000;
const SWEEP_MS = 1_000;
/** A stream that there never is: this side opens none. */
const NO_STREAM = 0x7ffffffe;

interface Heard {
  /** Bytes that had been read when it was last asked. */
  bytesRead: number;
  /** Since when it has owed an answer. */
  askedAt: number | undefined;
}

export interface DeafSessions {
  watch(session: ServerHttp2Session): void;
  /** Resolves when there is none that has been ended and not closed yet. */
  settled(): Promise<void>;
  stop(): void;
}

/**
 * For some breaches of HTTP/2, a frame of the wrong length or a header that cannot be unpacked, Node sends GOAWAY and then
 * neither reads, nor sends, nor says so: calls under way never end, and a peer that leaves is not seen leaving. The
 * connection has to be closed then (RFC 9113, 5.4.1).
 *
 * Whoever has brought new bytes is asked for a frame that is thrown away when its turn comes to be sent, because it is for
 * a stream that does not exist. It costs nothing on the wire, and waits for ever in a session that is deaf.
 */
export function watchDeafSessions(): DeafSessions {
  const watched = new Map<ServerHttp2Session, Heard>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [session, heard] of watched) if (!session.destroyed) look(session, heard, now);
  }, SWEEP_MS).unref();
  return {
    watch(session) {
      watched.set(session, { bytesRead: 0, askedAt: undefined });
      session.once("close", () => watched.delete(session));
    },
    async settled() {
      const ending = (): ServerHttp2Session | undefined =>
        [...watched.keys()].find(({ destroyed }) => destroyed);
      for (let session = ending(); session; session = ending()) await closed(session);
    },
    stop: () => clearInterval(sweep),
  };
}

function look(session: ServerHttp2Session, heard: Heard, now: number): void {
  const { bytesRead } = session.socket;
  if (heard.askedAt === undefined) {
    if (bytesRead === heard.bytesRead) return;
    heard.bytesRead = bytesRead;
    heard.askedAt = now;
    session.altsvc("clear", NO_STREAM);
  } else if (queuedIn(session) === 0) heard.askedAt = undefined;
  else if (now - heard.askedAt >= PATIENCE_MS) {
    // Or its peer does not read: then it is told to make its next calls elsewhere, and nothing is lost.
    if (isDeaf(session)) session.destroy();
    else heard.askedAt = undefined;
  }
}

/** A session that has sent its last GOAWAY takes no further one; all others tell their peer to go away. */
function isDeaf(session: ServerHttp2Session): boolean {
  const before = queuedIn(session);
  session.goaway();
  return queuedIn(session) === before;
}

function queuedIn(session: ServerHttp2Session): number {
  return session.state.outboundQueueSize ?? 0;
}

/** Not `once` of node:events, which an error would break off. */
function closed(session: ServerHttp2Session): Promise<void> {
  return new Promise((resolve) => session.once("close", resolve));
}
