import { Command } from "commander";
import { hashOfKey, keyProblem } from "../access/api-key/key.ts";
import { CommandError } from "./exit.ts";
import { print } from "./print.ts";
import { secretInput } from "./secret-input.ts";

/** Works without a gateway. */
export function keysHashCommand(): Command {
  return new Command("hash")
    .description(
      "show what stands for a key in the configuration; reads the key from standard input",
    )
    .action(async () => {
      const key = (await secretInput("key")).trim();
      const problem = keyProblem(key);
      if (problem !== undefined) throw new CommandError(problem);
      print(hashOfKey(key));
    });
}
