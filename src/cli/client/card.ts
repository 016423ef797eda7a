/** The remote agent's card, and which of its doors to take. */
import type { AgentCard, AgentInterface, ProtocolBinding } from "../../protocol/agent-card.ts";
import { PROTOCOL_VERSION } from "./door.ts";
import { exchange } from "./http.ts";
import { member, RemoteError, textMember } from "./remote-error.ts";
import type { ClientTls } from "./tls.ts";
import { decodeJson } from "./wire.ts";

export interface FetchedCard {
  /** As it came. */
  readonly json: unknown;
  readonly card: AgentCard;
}

export interface CardRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | undefined;
  readonly tls?: ClientTls | undefined;
}

const WELL_KNOWN = "/.well-known/agent-card.json";
const BINDINGS: readonly ProtocolBinding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/** Fetches the card of the agent at a URL; a URL that ends in .json is the card's own. */
export async function fetchCard(request: CardRequest): Promise<FetchedCard> {
  const { body: json } = await answerOf(request);
  return { json, card: decodeJson("AgentCard", json) as AgentCard };
}

/** The text of that card, of whatever version it is. */
export async function fetchCardText(request: CardRequest): Promise<string> {
  const { text } = await answerOf(request);
  return text;
}

async function answerOf({ url, headers, timeoutMs, tls }: CardRequest) {
  const answer = await exchange({
    url: cardUrlOf(url),
    verb: "GET",
    headers: { "a2a-version": PROTOCOL_VERSION, ...headers },
    timeoutMs,
    tls,
  });
  if (answer.kind === "events") throw new RemoteError("a stream instead of a card");
  if (answer.status !== 200) {
    const why = textMember(member(answer.body, "error"), "message");
    const status = `HTTP ${answer.status}${why === undefined ? "" : `, ${why}`}`;
    throw new RemoteError(`no agent card at ${cardUrlOf(url)}: ${status}`);
  }
  return answer;
}

export function cardUrlOf(url: string): string {
  const { origin, pathname, search } = new URL(url);
  if (pathname.endsWith(".json")) return `${origin}${pathname}${search}`;
  return `${origin}${pathname.replace(/\/+$/, "")}${WELL_KNOWN}${search}`;
}

/** The first door of the card that speaks 1.0 over a known binding, or over the wanted one (spec 8.3.2). */
export function interfaceOf(
  card: AgentCard,
  wanted: ProtocolBinding | undefined,
): { readonly binding: ProtocolBinding; readonly door: AgentInterface } {
  for (const door of card.supportedInterfaces) {
    const binding = BINDINGS.find((known) => known === door.protocolBinding.toUpperCase());
    if (binding === undefined || !/^1\.\d+(\.\d+)?$/.test(door.protocolVersion)) continue;
    if (wanted === undefined || wanted === binding) return { binding, door };
  }
  const offered = card.supportedInterfaces
    .map((door) => `${door.protocolBinding} ${door.protocolVersion}`)
    .join(", ");
  throw new RemoteError(
    `the agent offers no ${wanted ?? "known binding"} in version ${PROTOCOL_VERSION}, only ${offered || "nothing"}`,
  );
}
