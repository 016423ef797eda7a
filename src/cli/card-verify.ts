import { Command, InvalidArgumentError } from "commander";
import type { PublicKey } from "../agents/signing/public-keys.ts";
import {
  checkedSignatures,
  keySetUrlsOf,
  unsignedVersionsOf,
  type CheckedSignature,
} from "../agents/signing/verify.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isWebUrl, keysAt } from "./card-keys.ts";
import { fetchCardText } from "./client/card.ts";
import { requestOptions, withRequestOptions, type ClientFlags } from "./client-options.ts";
import { CommandError, EXIT } from "./exit.ts";
import { jsonObjectOf, named, textOf } from "./json-file.ts";
import { plainWord } from "./plain-text.ts";
import { print, printJson } from "./print.ts";

interface VerifyFlags extends ClientFlags {
  readonly key: readonly string[];
  readonly trustJku: readonly string[];
}

export function cardVerifyCommand(): Command {
  return withRequestOptions(
    new Command("verify")
      .description("say which signatures of a card are valid, and whether they cover it")
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
    const keySetUrls = named(where, () => keySetUrlsOf(card));
    const checked = checkedSignatures(card, await keysFor(keySetUrls, flags)).map((each) =>
      withTrust(each, flags),
    );
    if (flags.json) printJson(checked);
    else checked.map(lineOf).forEach(print);
    complain(card, checked);
  });
}

async function cardAt(where: string, flags: VerifyFlags): Promise<JsonObject> {
  const text = isWebUrl(where)
    ? await fetchCardText({ url: where, ...(await requestOptions(flags)) })
    : await textOf(where);
  return jsonObjectOf(text, where);
}

/** Those that the user named, and of those that the card names the ones at an origin that the user trusts. */
async function keysFor(
  keySetUrls: readonly string[],
  flags: VerifyFlags,
): Promise<readonly PublicKey[]> {
  const { key, trustJku } = flags;
  const trusted = keySetUrls.filter((url) => isTrusted(url, trustJku));
  const way = await requestOptions(flags);
  const found = await Promise.all([...key, ...trusted].map((each) => keysAt(each, way)));
  return found.flat();
}

function isTrusted(url: string, trusted: readonly string[]): boolean {
  return isWebUrl(url) && trusted.includes(new URL(url).origin);
}

/** Of a signature without a key, whether that is because nobody was to be asked for it. */
function withTrust(checked: CheckedSignature, { trustJku }: VerifyFlags): CheckedSignature {
  const { header, verdict } = checked;
  const jku = header?.jku;
  if (verdict.kind !== "keyless" || jku === undefined || isTrusted(jku, trustJku)) return checked;
  const why = `${verdict.why}, and ${jku}, where it is said to be, is not at a trusted origin`;
  return { header, verdict: { kind: "keyless", why } };
}

function lineOf({ header, verdict }: CheckedSignature, index: number): string {
  const by = header && ` ${plainWord(header.alg)} by ${plainWord(header.kid ?? "(no kid)")}`;
  return `signature ${index + 1}${by ?? ""}: ${plainWord(verdictText(verdict))}`;
}

function verdictText(verdict: CheckedSignature["verdict"]): string {
  switch (verdict.kind) {
    case "valid":
      return `valid, in the form of ${verdict.form}`;
    case "partial":
      return `valid, in the form of ${verdict.form}, but ${verdict.why}`;
    case "keyless":
    case "invalid":
      return verdict.why;
  }
}

/** Throws unless valid signatures cover what clients read of the card. */
function complain(card: JsonObject, checked: readonly CheckedSignature[]): void {
  if (checked.length === 0) throw new CommandError("the card is not signed");
  const kinds = new Set(checked.map(({ verdict }) => verdict.kind));
  if (!kinds.has("valid") && !kinds.has("partial")) throw new CommandError("no signature is valid");
  const [version] = unsignedVersionsOf(card, checked);
  if (version !== undefined)
    throw new CommandError(`no valid signature covers what clients of ${version} read of the card`);
}

function appended(value: string, known: readonly string[]): readonly string[] {
  return [...known, value];
}

function origins(value: string, known: readonly string[]): readonly string[] {
  if (!isWebUrl(value)) throw new InvalidArgumentError("expected an origin such as https://h:8443");
  return [...known, new URL(value).origin];
}
