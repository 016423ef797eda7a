/** A name server over UDP that answers as it is told, and counts what it was asked (RFC 1035, 4). */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { Resolver } from "node:dns/promises";
import { isIPv4 } from "node:net";
import type { Resolve } from "../../src/push/resolve.ts";

const TYPES: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 };

export interface DnsServer {
  /** Where it is, for a resolver. */
  readonly address: string;
  /** Asks this server, for both families. */
  readonly resolve: Resolve;
  /** The names that it was asked for the IPv4 addresses of, in order. */
  readonly asked: readonly string[];
  close(): void;
}

/** @param answers the addresses of each name, one list for each time that it is asked; the last one stays */
export async function startDnsServer(
  answers: Readonly<Record<string, readonly (readonly string[])[]>>,
): Promise<DnsServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4", (query, sender) => {
    const { name, family, question } = questionIn(query);
    const lists = answers[name] ?? [];
    const time = asked.filter((each) => each === name).length;
    if (family === 4) asked.push(name);
    // Both families are asked at the same time; either may come first.
    const list =
      lists[Math.min(family === 4 ? time : Math.max(0, time - 1), lists.length - 1)] ?? [];
    const found = list.filter((address) => isIPv4(address) === (family === 4));
    socket.send(answerOf(query, question, found), sender.port, sender.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const address = `127.0.0.1:${socket.address().port}`;
  resolver.setServers([address]);
  return {
    address,
    asked,
    async resolve(name) {
      const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      return found.flatMap((each, place) =>
        each.status === "fulfilled"
          ? each.value.map((address) => ({ address, family: place === 0 ? 4 : 6 }))
          : [],
      );
    },
    close() {
      resolver.cancel();
      socket.close();
    },
  };
}

const HEADER = 12;

function questionIn(query: Buffer): { name: string; family: 4 | 6 | undefined; question: Buffer } {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  const family = TYPES[query.readUInt16BE(at + 1)];
  return { name: labels.join("."), family, question: query.subarray(HEADER, at + 5) };
}

function answerOf(query: Buffer, question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.alloc(HEADER);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([header, question, ...addresses.map(recordOf)]);
}

/** The name is that of the question, and nobody may keep the answer. */
function recordOf(address: string): Buffer {
  const bytes = bytesOf(address);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(bytes.length === 4 ? 1 : 28, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([record, bytes]);
}

/** IPv6 written out in full. */
function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  return Buffer.from(
    address
      .split(":")
      .map((group) => group.padStart(4, "0"))
      .join(""),
    "hex",
  );
}
