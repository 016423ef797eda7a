import { Command } from "commander";
import { signaturesOf } from "../agents/signing/signer.ts";
import { openSigningKey } from "../agents/signing/signing-key.ts";
import { otherSignaturesOf } from "../agents/signing/verify.ts";
import { webUrl } from "./client-options.ts";
import { CommandError } from "./exit.ts";
import { jsonObjectOf, textOfFile } from "./json-file.ts";
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
      const card = jsonObjectOf(await textOfFile(file), file);
      const settings = { file: keyFile, kid, ...(jku !== undefined && { jku }) };
      const key = await openSigningKey(settings, process.cwd()).catch(toldOf(keyFile));
      const signatures = await Promise.resolve(card)
        .then((json) => signaturesOf(json, [key]))
        .catch(toldOf(file));
      if (signatures.length === 0)
        throw new CommandError(`${file}: neither supportedInterfaces nor url: not an agent card`);
      printJson({ ...card, signatures: [...otherSignaturesOf(card, kid), ...signatures] });
    });
}

/** What is wrong with a file is told with its name. */
function toldOf(file: string): (thrown: unknown) => never {
  return (thrown) => {
    throw new CommandError(`${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  };
}
