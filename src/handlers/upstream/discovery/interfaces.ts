/** The interfaces of an agent's card that the gateway can call, with addresses that can be called as they are. */
import type { AgentInterface, ProtocolBinding } from "../../../protocol/agent-card.ts";
import { clientDialectOf } from "../../../wire/client-dialects.ts";

export interface UpstreamInterface {
  /** http or https; of gRPC also `host:port`. */
  readonly url: string;
  readonly binding: ProtocolBinding;
  /** `Major.Minor` of a version that the gateway calls. */
  readonly version: string;
  readonly tenant?: string;
}

/** What the configuration settles of the interfaces. */
export interface Pins {
  readonly version?: string;
  readonly binding?: ProtocolBinding;
}

/** Tells an interface from all others of its agent, whatever became of the card meanwhile. */
export function keyOf({ url, binding, version, tenant }: UpstreamInterface): string {
  return `${binding} ${version} ${url}${tenant === undefined ? "" : ` ${tenant}`}`;
}

/** Those that can be called, in the order of the card, each once. `cardUrl` is what relative addresses start from. */
export function interfacesOf(
  offered: readonly AgentInterface[],
  cardUrl: string | undefined,
  pins: Pins,
): readonly UpstreamInterface[] {
  const callable = offered.flatMap((each) => {
    const found = callableOf(each, cardUrl);
    return found !== undefined && isPinned(found, pins) ? [found] : [];
  });
  return withoutRepetitions(callable).slice(0, MOST);
}

/** Each is checked from time to time: a card must not decide how much work that is. */
const MOST = 16;

export function withoutRepetitions(
  interfaces: readonly UpstreamInterface[],
): readonly UpstreamInterface[] {
  return [...new Map(interfaces.map((each) => [keyOf(each), each])).values()];
}

/** `JSONRPC 1.0 at https://…, …`: what a card offers, for whoever looks after the gateway. */
export function offerText(offered: readonly AgentInterface[]): string {
  const texts = offered.map(
    ({ url, protocolBinding, protocolVersion }) =>
      `${protocolBinding || "no binding"} ${protocolVersion || "without a version"} at ${url || "no address"}`,
  );
  return texts.length === 0 ? "nothing" : texts.join(", ");
}

function callableOf(
  { url, protocolBinding, protocolVersion, tenant }: AgentInterface,
  cardUrl: string | undefined,
): UpstreamInterface | undefined {
  const name = protocolBinding.trim().toUpperCase();
  const binding = BINDINGS.find((known) => known === name);
  const version = clientDialectOf(protocolVersion.trim())?.version;
  if (binding === undefined || version === undefined) return undefined;
  const address = binding === "GRPC" ? grpcAddressOf(url, cardUrl) : webAddressOf(url, cardUrl);
  if (address === undefined) return undefined;
  const target = { url: rootOf(address, binding, version), binding, version };
  return tenant === undefined || tenant === "" ? target : { ...target, tenant };
}

/** Cards write them in capitals, or in other letters (spec 4.4.6). */
const BINDINGS: readonly ProtocolBinding[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

function isPinned({ binding, version }: UpstreamInterface, pins: Pins): boolean {
  if (pins.binding !== undefined && pins.binding !== binding) return false;
  return pins.version === undefined || pins.version === version;
}

function webAddressOf(text: string, cardUrl: string | undefined): string | undefined {
  if (text.trim() === "" || !URL.canParse(text, cardUrl)) return undefined;
  const url = new URL(text, cardUrl);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (WILDCARDS.has(url.hostname)) {
    if (cardUrl === undefined) return undefined;
    url.hostname = new URL(cardUrl).hostname;
  }
  url.hash = "";
  return url.href;
}

/** A server that says where it listens instead of where it is reached: there, where its card was. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);

/** Of HTTP+JSON, paths are appended to it, which begin with `/v1` in 0.3: cards of that version may name it already. */
function rootOf(address: string, binding: ProtocolBinding, version: string): string {
  if (binding !== "HTTP+JSON") return address;
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, "");
  const root = version === "0.3" ? path.replace(/\/+v1$/, "") : path;
  return url.origin + root + url.search;
}

const GRPC_SCHEMES: Readonly<Record<string, string>> = { "grpc:": "http:", "grpcs:": "https:" };

/** gRPC has no paths: without a scheme, an address is a host and its port. */
function grpcAddressOf(text: string, cardUrl: string | undefined): string | undefined {
  const [, scheme = "", rest = ""] = /^(?:([a-z][a-z0-9+.-]*:)\/\/)?(.*)$/i.exec(text.trim()) ?? [];
  const protocol = GRPC_SCHEMES[scheme.toLowerCase()] ?? scheme.toLowerCase();
  const address = webAddressOf(`${protocol === "" ? "http:" : protocol}//${rest}`, cardUrl);
  if (rest === "" || rest.startsWith("/") || address === undefined) return undefined;
  const { origin, hostname, port } = new URL(address);
  return protocol === "" ? `${hostname}:${port || "80"}` : origin;
}
