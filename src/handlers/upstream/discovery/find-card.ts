/** Finds the card at one address of an agent. */
import type { TlsMaterial } from "../credentials/tls-material.ts";
import { cardOf } from "./card-forms.ts";
import { requestCard, type CardAnswer } from "./card-request.ts";
import { cardUrlsOf } from "./card-urls.ts";
import type { FoundCard } from "./found-card.ts";
import type { SignatureCheck } from "./signature-check.ts";

export interface FindDeps {
  /** What is sent along, made anew for each request. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Told of headers that a server refused; whether others may be had. */
  refused(headers: Readonly<Record<string, string>>): boolean;
  readonly tls: TlsMaterial;
  /** Default: cards are used whoever signed them. */
  readonly signatureCheck?: SignatureCheck | undefined;
  readonly signal: AbortSignal;
  now(): number;
}

/** `known` is the card that was found last at this address. Throws an Error that names each place that was tried. */
export async function findCard(
  url: string,
  known: FoundCard | undefined,
  deps: FindDeps,
): Promise<FoundCard> {
  const tried: string[] = [];
  for (const cardUrl of urlsOf(url, known)) {
    const etag = known?.url === cardUrl ? known.etag : undefined;
    const answer = await answerAt(cardUrl, etag, deps);
    switch (answer.kind) {
      case "unchanged": {
        if (known === undefined) {
          tried.push(`${cardUrl} answers 304 to a request without a condition`);
          break;
        }
        // The keys may be others than when it came.
        const fault = await deps.signatureCheck?.(known, deps.signal);
        if (fault === undefined) return { ...known, fetchedAt: deps.now() };
        tried.push(`${cardUrl}: ${fault}`);
        break;
      }
      case "card": {
        const card = { url: cardUrl, json: answer.json };
        const fault = faultOf(answer.json) ?? (await deps.signatureCheck?.(card, deps.signal));
        if (fault === undefined)
          return foundCard({ base: url, url: cardUrl, answer, fetchedAt: deps.now() });
        tried.push(`${cardUrl}: ${fault}`);
        break;
      }
      case "none":
        tried.push(`${cardUrl} ${answer.why}`);
        if (!isElsewhere(answer.status)) throw new Error(`no agent card: ${tried.join("; ")}`);
    }
  }
  throw new Error(`no agent card: ${tried.join("; ")}`);
}

/** Where it was last time comes first. */
function urlsOf(url: string, known: FoundCard | undefined): readonly string[] {
  const urls = cardUrlsOf(url);
  return known?.url === undefined || !urls.includes(known.url)
    ? urls
    : [known.url, ...urls.filter((each) => each !== known.url)];
}

async function answerAt(
  url: string,
  etag: string | undefined,
  { headers, refused, tls, signal }: FindDeps,
): Promise<CardAnswer> {
  const sent = await headers();
  const answer = await requestAt(sent);
  if (answer.kind !== "none" || answer.status !== 401 || !refused(sent)) return answer;
  return requestAt(await headers());

  async function requestAt(withHeaders: Readonly<Record<string, string>>): Promise<CardAnswer> {
    try {
      return await requestCard({ url, headers: withHeaders, etag, tls, signal });
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Error(`no agent card: ${url}: ${why}`, { cause: thrown });
    }
  }
}

/** Whether the card may well be under the other name: a page for everything, or no such page. */
function isElsewhere(status: number): boolean {
  return status < 300 || (status >= 400 && status <= 410 && status !== 401 && status !== 403);
}

/** Servers that answer everything with some JSON are not to hide the card under the other name. */
function faultOf(json: unknown): string | undefined {
  try {
    cardOf(json);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

interface Found {
  readonly base: string;
  readonly url: string;
  readonly answer: CardAnswer & { readonly kind: "card" };
  readonly fetchedAt: number;
}

function foundCard({ base, url, answer: { json, etag }, fetchedAt }: Found): FoundCard {
  return { base, url, json, ...(etag !== undefined && { etag }), fetchedAt };
}
