import { Command } from "commander";
import { adminTasksCommand } from "./tasks.ts";

export function adminCommand(): Command {
  return new Command("admin")
    .description("look after what a running gateway keeps of every agent and caller")
    .addCommand(adminTasksCommand());
}
