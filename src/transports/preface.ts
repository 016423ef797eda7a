/** Sorts new connections by their first bytes: HTTP/2 starts with a fixed preface (RFC 9113, 3.4). */
import type { Socket } from "node:net";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

export interface PrefaceSorterOptions {
  /** How long a connection may say too little, in milliseconds. */
  readonly timeoutMs: number;
  readonly http1: (connection: Socket) => void;
  readonly http2: (connection: Socket) => void;
}

export interface PrefaceSorter {
  add(socket: Socket): void;
  /** Drops what still waits; nothing may be added afterwards. */
  stop(): void;
}

interface Waiting {
  readonly since: number;
  seen: Buffer;
}

const NOTHING = Buffer.alloc(0);

/**
 * Looks at the first bytes of each connection, puts them back and hands the connection over. Those that end, break or
 * take too long before that are dropped. The listeners are shared, since a connection would keep what is made for it.
 */
export function createPrefaceSorter(options: PrefaceSorterOptions): PrefaceSorter {
  const { timeoutMs, http1, http2 } = options;
  const waiting = new Map<Socket, Waiting>();
  const sweep = setInterval(dropSlow, Math.max(1, timeoutMs / 4)).unref();
  return {
    add(socket): void {
      waiting.set(socket, { since: performance.now(), seen: NOTHING });
      socket.on("readable", look).on("end", drop).on("error", drop).on("close", drop);
    },
    stop(): void {
      clearInterval(sweep);
      for (const socket of waiting.keys()) socket.destroy();
    },
  };

  function look(this: Socket): void {
    const opened = waiting.get(this);
    const bytes: Buffer | null = this.read();
    if (opened === undefined || bytes === null) return;
    opened.seen = opened.seen === NOTHING ? bytes : Buffer.concat([opened.seen, bytes]);
    const protocol = protocolOf(opened.seen);
    if (protocol === "unknown") return;
    waiting.delete(this);
    this.off("readable", look).off("end", drop).off("error", drop).off("close", drop);
    this.unshift(opened.seen);
    if (protocol === "http1") http1(this);
    else http2(this);
  }

  function drop(this: Socket): void {
    waiting.delete(this);
    this.destroy();
  }

  function dropSlow(): void {
    const oldest = performance.now() - timeoutMs;
    for (const [socket, { since }] of waiting) {
      if (since > oldest) return;
      socket.destroy();
    }
  }
}

function protocolOf(bytes: Buffer): "http1" | "http2" | "unknown" {
  const length = Math.min(bytes.length, PREFACE.length);
  if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) return "http1";
  return length === PREFACE.length ? "http2" : "unknown";
}
