import { Command, InvalidArgumentError } from "commander";
import { publicKeysOf, type PublicKey } from "../agents/signing/public-keys.ts";
import {
  checkedSignatures,
  keySetUrlsOf,
  type CheckedSignature,
} from "../agents/signing/verify.ts";
import type { JsonObject } from "../protocol/json.ts";
import { fetchCard } from "./client/card.ts";
import { exchange } from "./client/http.ts";
import { requestOptions, withRequestOptions, type ClientFlags } from "./client-options.ts";
import { CommandError, EXIT } from "./exit.ts";
import { isObject, jsonObjectOf, textOfFile } from "./json-file.ts";
import { plainWord } from "./plain-text.ts";
import { print, printJson } from "./print.ts";

interface VerifyFlags extends ClientFlags {
  readonly key: readonly string[];
  readonly trustJku: readonly string[];
}

export function cardVerifyCommand(): Command {
  return withRequestOptions(
    new Command("verify")
      .description("say which signatures of a card are valid; one is enough")
      .argument("<card>", "a JSON file, or the address of an agent or of its card")
      .option(
        "--key <key>",
        "a public key in PEM, or a key set: a file or its address; may be repeated",
        appended,
        [],
      )
      .option(
        "--trust-jku <origin>",
        "take keys from where the card says, if they are there; may be repeated",
        origins,
        [],
      ),
  ).action(async (where: string, flags: VerifyFlags) => {
    if (flags.key.length === 0 && flags.trustJku.length === 0)
      throw new CommandError(
        "verify needs --key or --trust-jku: a card cannot vouch for itself",
        EXIT.usage,
      );
    const card = await cardAt(where, flags);
    const checked = checkedSignatures(card, await keysFor(card, flags));
    if (flags.json) printJson(checked);
    else checked.map(lineOf).forEach(print);
    if (checked.length === 0) throw new CommandError("the card is not signed");
    if (!checked.some(({ verdict }) => verdict.kind === "valid"))
      throw new CommandError("no signature is valid");
  });
}

async function cardAt(where: string, flags: VerifyFlags): Promise<JsonObject> {
  if (!isWebUrl(where)) return jsonObjectOf(await textOfFile(where), where);
  const { json } = await fetchCard({ url: where, ...requestOptions(flags) });
  if (!isObject(json)) throw new CommandError(`${where}: not a JSON object`);
  return json;
}

/** Those that the user named, and of those that the card names the ones at an origin that the user trusts. */
async function keysFor(card: JsonObject, flags: VerifyFlags): Promise<readonly PublicKey[]> {
  const trusted = keySetUrlsOf(card).filter(
    (url) => isWebUrl(url) && flags.trustJku.includes(new URL(url).origin),
  );
  const found = await Promise.all([...flags.key, ...trusted].map((key) => keysAt(key, flags)));
  return found.flat();
}

async function keysAt(where: string, { timeout }: VerifyFlags): Promise<readonly PublicKey[]> {
  const text = isWebUrl(where) ? await fetched(where, timeout) : await textOfFile(where);
  try {
    return publicKeysOf(text);
  } catch (cause) {
    throw new CommandError(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** Headers that the agent is sent, such as credentials, are none of the key server's business. */
async function fetched(url: string, timeoutMs: number): Promise<string> {
  const limit = timeoutMs > 0 ? { timeoutMs } : {};
  const answer = await exchange({ url, verb: "GET", headers: {}, ...limit });
  if (answer.kind !== "json" || answer.status !== 200)
    throw new CommandError(`${url}: no key set there`);
  return JSON.stringify(answer.body);
}

function lineOf({ header, verdict }: CheckedSignature, index: number): string {
  const by = header && ` ${plainWord(header.alg)} by ${plainWord(header.kid ?? "(no kid)")}`;
  const what = verdict.kind === "valid" ? `valid, in the form of ${verdict.form}` : verdict.why;
  return `signature ${index + 1}${by ?? ""}: ${plainWord(what)}`;
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function appended(value: string, known: readonly string[]): readonly string[] {
  return [...known, value];
}

function origins(value: string, known: readonly string[]): readonly string[] {
  if (!isWebUrl(value)) throw new InvalidArgumentError("expected an origin such as https://h:8443");
  return [...known, new URL(value).origin];
}
