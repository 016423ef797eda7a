import { Command } from "commander";
import { hashPassword } from "../access/basic/password-hash.ts";
import { CommandError } from "./exit.ts";
import { print } from "./print.ts";
import { secretInput } from "./secret-input.ts";

/** Works without a gateway. */
export function passwordsCommand(): Command {
  return new Command("passwords")
    .description("make what stands for passwords in a configuration")
    .addCommand(
      new Command("hash")
        .description("show what stands for a password; reads it from standard input")
        .action(async () => {
          const password = await secretInput("password");
          // Control characters cannot be sent (RFC 7617, 2).
          if (!/^\P{Cc}+$/u.test(password))
            throw new CommandError("expected one line of printable text");
          print(await hashPassword(password));
        }),
    );
}
