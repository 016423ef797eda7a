/** Checks one interface of a remote agent. */
import type { TlsMaterial } from "../credentials/tls-material.ts";
import { requestCard } from "../discovery/card-request.ts";
import type { FoundCard } from "../discovery/found-card.ts";
import type { UpstreamInterface } from "../discovery/interfaces.ts";
import { reach } from "./reach.ts";

export interface CheckDeps {
  /** The cards as they are known now. */
  cards(): readonly FoundCard[];
  headers(): Promise<Readonly<Record<string, string>>>;
  readonly tls: TlsMaterial;
}

/**
 * Asks for the card where the same server has it, else whether somebody accepts a connection. Throws an Error that says
 * what is wrong; an answer of the server is a fault only when it says so itself (5xx).
 */
export async function checkInterface(
  target: UpstreamInterface,
  { cards, headers, tls }: CheckDeps,
  signal: AbortSignal,
): Promise<void> {
  const card = target.binding === "GRPC" ? undefined : cardBeside(target, cards());
  if (card?.url === undefined) return reach(addressOf(target, tls), signal);
  const { url, etag } = card;
  const answer = await requestCard({ url, etag, headers: await headers(), tls, signal });
  if (answer.kind === "none" && answer.status >= 500) throw new Error(`the server ${answer.why}`);
}

function cardBeside(
  { url }: UpstreamInterface,
  cards: readonly FoundCard[],
): FoundCard | undefined {
  const { origin } = new URL(url);
  return cards.find((card) => card.url !== undefined && new URL(card.url).origin === origin);
}

function addressOf({ url, binding }: UpstreamInterface, tls: TlsMaterial) {
  const { hostname, port, protocol } = new URL(/^https?:/.test(url) ? url : `http://${url}`);
  const isSecure = protocol === "https:";
  const offered = binding === "GRPC" ? { ALPNProtocols: ["h2"] } : {};
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (isSecure ? 443 : 80)),
    tls: isSecure ? { ...tls, ...offered } : undefined,
  };
}
