/** The keys that cards may be signed with, from where the configuration says that they are. */
import type { JsonObject } from "../../../protocol/json.ts";
import { isFields } from "../../fields.ts";
import { SettingError } from "../../../setting-error.ts";
import { configuredText } from "../credentials/secret.ts";
import { requestCard } from "./card-request.ts";

export interface TrustSettings {
  /** A path, or the keys (RFC 7517). */
  readonly trustedKeys?: string | readonly JsonObject[];
  readonly trustedKeyUrls?: readonly string[];
}

/** What is known of them now. */
export interface TrustedKeys {
  /** JSON Web Key Sets, or keys, in JSON. */
  readonly keySets: readonly string[];
  /** Where keys are that cannot be had, and why. */
  readonly missing: readonly string[];
}

/** The newest keys; where they cannot be had for a while, the last ones count. */
export type OpenTrustedKeys = (signal: AbortSignal) => Promise<TrustedKeys>;

type Source = (signal: AbortSignal) => Promise<string>;

/** Throws a SettingError for a file that cannot be read or holds no keys. Addresses are asked when keys are wanted. */
export async function openTrustedKeys(
  { trustedKeys, trustedKeyUrls = [] }: TrustSettings,
  baseDir: string,
): Promise<OpenTrustedKeys> {
  const last = new Map<Source, string>();
  const sources = trustedKeyUrls.map(sourceAt);
  if (typeof trustedKeys === "string") {
    const inFile: Source = () => keysIn(trustedKeys, baseDir);
    last.set(inFile, await keysIn(trustedKeys, baseDir));
    sources.unshift(inFile);
  } else if (trustedKeys !== undefined) {
    const text = JSON.stringify({ keys: trustedKeys });
    sources.unshift(async () => text);
  }
  return async (signal) => {
    const missing: string[] = [];
    const found = sources.map(async (source) => {
      const text = await source(signal).catch((thrown: unknown) => {
        if (!last.has(source)) missing.push(textOf(thrown));
        return last.get(source);
      });
      if (text !== undefined) last.set(source, text);
      return text ?? [];
    });
    return { keySets: (await Promise.all(found)).flat(), missing };
  };
}

async function keysIn(file: string, baseDir: string): Promise<string> {
  const text = await configuredText(file, { baseDir, setting: "trustedKeys" });
  if (!isKeySet(jsonOf(text)))
    throw new SettingError("trustedKeys", "expected a JSON Web Key Set in it");
  return text;
}

function sourceAt(url: string): Source {
  return (signal) => keysAt(url, signal);
}

/** What the gateway sends to the agent, credentials above all, is none of the key server's business. */
async function keysAt(url: string, signal: AbortSignal): Promise<string> {
  try {
    const answer = await requestCard({ url, headers: {}, etag: undefined, tls: {}, signal });
    if (answer.kind === "none") throw new Error(`the server ${answer.why}`);
    if (answer.kind !== "card" || !isKeySet(answer.json)) throw new Error("no key set there");
    return JSON.stringify(answer.json);
  } catch (cause) {
    const why = textOf(cause);
    throw new Error(`the keys at ${url} cannot be had: ${why}`, { cause });
  }
}

function isKeySet(json: unknown): boolean {
  return isFields(json) && (Array.isArray(json["keys"]) || typeof json["kty"] === "string");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
