import { Command } from "commander";
import { cardShowCommand } from "./card-show.ts";
import { cardSignCommand } from "./card-sign.ts";
import { cardVerifyCommand } from "./card-verify.ts";

/** `card URL` shows a card: what is no other command is the address for that one. */
export function cardCommand(): Command {
  return new Command("card")
    .description("show an agent's card, sign one, or verify its signatures")
    .addCommand(cardShowCommand(), { isDefault: true })
    .addCommand(cardSignCommand())
    .addCommand(cardVerifyCommand());
}
