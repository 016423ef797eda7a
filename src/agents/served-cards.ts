/** The text of each agent's card in each form, and of its OpenAPI document, with what HTTP caches need to know of it. */
import { createHash } from "node:crypto";
import type { Agent, Agents } from "../core/ports/agent.ts";
import type { AgentCard } from "../protocol/agent-card.ts";
import { servedCardOf } from "./card.ts";
import { bodyOf, formFor, type CardForm } from "./forms.ts";
import type { Location, LocationOf } from "./interfaces.ts";
import type { OpenApiOf } from "./open-api.ts";
import { signaturesOf } from "./signing/signer.ts";
import { jwkOf, type SigningKey } from "./signing/signing-key.ts";

export interface ServedJson {
  readonly body: string;
  /** Strong: made from the text. */
  readonly etag: string;
  /** Whole seconds, since HTTP dates hold no more. */
  readonly lastModified: Date;
  /** Seconds. */
  readonly maxAge: number;
}

export interface CardRequest {
  /** The agent that the path names; undefined at the root. */
  readonly agent: string | undefined;
  /** The version that the caller names. */
  readonly version: string | undefined;
  /** Where the caller reached the gateway, if the card may say so. Callers must not be able to make one up. */
  readonly origin: string | undefined;
}

/** The cards behind one listener. */
export interface ServedCards {
  /** Undefined when there is no such agent. */
  card(request: CardRequest): ServedJson | undefined;
  /** The OpenAPI document of the agent's HTTP+JSON doors; undefined when there is no such agent. */
  openApi(request: Omit<CardRequest, "version">): ServedJson | undefined;
  /** The public halves of the keys that the gateway signs with (RFC 7517); undefined when it signs nothing. */
  keySet(): ServedJson | undefined;
}

export interface ServedCardsInput {
  readonly agents: Agents;
  readonly locationOf: LocationOf;
  readonly openApiOf: OpenApiOf;
  /** What cards are signed with; none: they are not. */
  readonly keys: readonly SigningKey[];
  /** Whose public halves are served: those, and what else the gateway signs with. */
  readonly published: readonly SigningKey[];
  /** What a request without a version gets. */
  readonly unversioned: CardForm;
  /** When the configuration was read (milliseconds since the epoch). */
  readonly loadedAt: number;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly maxAgeMs: number;
}

/**
 * The cards at a listener: at the one that all agents share, for undefined, or at an agent's own, where it alone is
 * found. A text is made when it is first wanted, and kept: there are no more of them than forms and allowed origins.
 */
export function servedCardsOf(input: ServedCardsInput): (owner: string | undefined) => ServedCards {
  const { agents, keys, published, unversioned } = input;
  const texts = new Map<string, Kept>();
  const kept = ({ key, source, era, make, maxAgeMs = input.maxAgeMs }: Wanted): ServedJson => {
    const name = JSON.stringify(key);
    const known = texts.get(name);
    if (known !== undefined && known.source === source && known.era === era) return known.served;
    const body = JSON.stringify(make());
    const isSame = known?.served.body === body && known.source === source;
    const madeAt = known === undefined ? input.loadedAt : input.now();
    const served = isSame ? known.served : written(body, madeAt, maxAgeMs);
    texts.set(name, { source, era, served });
    return served;
  };
  const found = (owner: string | undefined, id = owner): Agent | undefined =>
    owner !== undefined && id !== owner ? undefined : agents.find(id);
  return (owner) => ({
    card({ agent: id, version, origin }) {
      const agent = found(owner, id);
      if (agent === undefined) return undefined;
      const form = formFor(version, unversioned);
      const reached = { origin, atOwn: owner !== undefined };
      const location = input.locationOf(agent.id, reached);
      const { card: source } = agent;
      const key = [agent.id, form, reached];
      const make = (): object => cardOf(source, form, location, keys);
      const wanted = { key, source, era: location.era, make };
      return kept(isReached(agent) ? wanted : { ...wanted, maxAgeMs: 0 });
    },
    openApi({ agent: id, origin }) {
      const agent = found(owner, id);
      if (agent === undefined) return undefined;
      const reached = { origin, atOwn: owner !== undefined };
      const { interfaces, era } = input.locationOf(agent.id, reached);
      const { card: source } = agent;
      const make = (): object => input.openApiOf(source, interfaces);
      return kept({ key: [agent.id, "openapi", reached], source, era, make });
    },
    keySet() {
      if (published.length === 0) return undefined;
      const make = (): object => ({ keys: published.map(jwkOf) });
      return kept({ key: [], source: published, era: published, make });
    },
  });
}

/** What is served for a remote agent that has not said yet what it is does not hold for long. */
function isReached({ handler }: Agent): boolean {
  return handler.card === undefined || handler.card() !== undefined;
}

function cardOf(
  source: AgentCard,
  form: CardForm,
  { interfaces, keySetUrl }: Location,
  keys: readonly SigningKey[],
): object {
  const body = bodyOf(servedCardOf(source, interfaces), form);
  if (keys.length === 0) return body;
  return { ...body, signatures: signaturesOf(body, keys, keySetUrl) };
}

interface Wanted {
  readonly key: readonly unknown[];
  readonly source: unknown;
  readonly era: unknown;
  make(): object;
  readonly maxAgeMs?: number;
}

/** A text, and what it was made from: the same text as long as that is the same. */
interface Kept {
  readonly source: unknown;
  readonly era: unknown;
  readonly served: ServedJson;
}

function written(body: string, madeAt: number, maxAgeMs: number): ServedJson {
  return {
    body,
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
    lastModified: new Date(Math.floor(madeAt / 1000) * 1000),
    maxAge: Math.floor(maxAgeMs / 1000),
  };
}
