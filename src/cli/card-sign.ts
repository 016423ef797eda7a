import { Command } from "commander";
import { otherSignaturesOf } from "../agents/signing/card-signatures.ts";
import { signaturesOf } from "../agents/signing/signer.ts";
import {
  openSigningKey,
  type SigningKey,
  type SigningKeySettings,
} from "../agents/signing/signing-key.ts";
import { webUrl } from "./client-options.ts";
import { CommandError, wordsOf } from "./exit.ts";
import { jsonObjectOf, named, textOf } from "./json-file.ts";
import { printJson } from "./print.ts";

interface SignFlags {
  readonly key: string;
  readonly kid: string;
  readonly jku?: string;
}

export function cardSignCommand(): Command {
  return new Command("sign")
    .description("print a card with a signature; those by other keys stay")
    .argument("<file>", "the card in JSON")
    .requiredOption("--key <file>", "a private key in PEM: EC P-256, RSA or Ed25519")
    .requiredOption("--kid <id>", "the name under which verifiers find the key")
    .option("--jku <url>", "where verifiers find the key set", webUrl)
    .action(async (file: string, { key: keyFile, kid, jku }: SignFlags) => {
      const card = jsonObjectOf(await textOf(file), file);
      const key = await keyOf({ file: keyFile, kid, ...(jku !== undefined && { jku }) });
      const signatures = named(file, () => signaturesOf(card, [key]));
      if (signatures.length === 0)
        throw new CommandError(`${file}: neither supportedInterfaces nor url: not an agent card`);
      printJson({ ...card, signatures: [...otherSignaturesOf(card, kid), ...signatures] });
    });
}

async function keyOf(settings: SigningKeySettings): Promise<SigningKey> {
  try {
    return await openSigningKey(settings, process.cwd());
  } catch (cause) {
    throw new CommandError(wordsOf(cause));
  }
}
