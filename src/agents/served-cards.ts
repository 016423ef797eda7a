/** The text of each agent's card in each form, with what HTTP caches need to know of it. */
import { createHash } from "node:crypto";
import type { Agent, Agents } from "../core/ports/agent.ts";
import type { Reached } from "./addresses.ts";
import { servedCardOf } from "./card.ts";
import { bodyOf, formFor, type CardForm } from "./forms.ts";
import type { LocationOf } from "./interfaces.ts";
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
  /** The public halves of the keys that cards are signed with (RFC 7517); undefined when they are not signed. */
  keySet(): ServedJson | undefined;
}

export interface ServedCardsInput {
  readonly agents: Agents;
  readonly locationOf: LocationOf;
  /** What cards are signed with; none: they are not. */
  readonly keys: readonly SigningKey[];
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
  const { agents, keys, unversioned } = input;
  const texts = new Map<string, Kept>();
  const kept = (key: readonly unknown[], source: unknown, make: () => Made): ServedJson => {
    const name = JSON.stringify(key);
    const known = texts.get(name);
    if (known !== undefined && known.source === source) return known.served;
    const madeAt = known === undefined ? input.loadedAt : input.now();
    const { json, isFinal } = make();
    const served = written(JSON.stringify(json), madeAt, input.maxAgeMs);
    if (isFinal) texts.set(name, { source, served });
    return served;
  };
  return (owner) => ({
    card({ agent: id = owner, version, origin }) {
      if (owner !== undefined && id !== owner) return undefined;
      const agent = agents.find(id);
      if (agent === undefined) return undefined;
      const form = formFor(version, unversioned);
      const reached = { origin, atOwn: owner !== undefined };
      const make = (): Made => cardOf(agent, form, reached, input);
      return kept([agent.id, form, reached], agent.card, make);
    },
    keySet() {
      if (keys.length === 0) return undefined;
      return kept([], keys, () => ({ json: { keys: keys.map(jwkOf) }, isFinal: true }));
    },
  });
}

interface Made {
  readonly json: object;
  /** False while the listeners open: the addresses in it may be others than in the end. */
  readonly isFinal: boolean;
}

function cardOf(agent: Agent, form: CardForm, reached: Reached, input: ServedCardsInput): Made {
  const { interfaces, keySetUrl, isFinal } = input.locationOf(agent.id, reached);
  const body = bodyOf(servedCardOf(agent.card, interfaces), form);
  if (input.keys.length === 0) return { json: body, isFinal };
  return { json: { ...body, signatures: signaturesOf(body, input.keys, keySetUrl) }, isFinal };
}

/** A text, and what it was made from: the same text as long as that is the same. */
interface Kept {
  readonly source: unknown;
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
