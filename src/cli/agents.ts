import { Command } from "commander";
import { agentsAddCommand } from "./agents-add.ts";
import {
  agentsDisableCommand,
  agentsEnableCommand,
  agentsRefreshCommand,
  agentsReloadCommand,
  agentsRemoveCommand,
} from "./agents-change.ts";
import { agentsInspectCommand, agentsListCommand, agentsUpstreamsCommand } from "./agents-show.ts";

export function agentsCommand(): Command {
  return new Command("agents")
    .description("look after the agents of a running gateway")
    .addCommand(agentsListCommand())
    .addCommand(agentsInspectCommand())
    .addCommand(agentsUpstreamsCommand())
    .addCommand(agentsAddCommand())
    .addCommand(agentsEnableCommand())
    .addCommand(agentsDisableCommand())
    .addCommand(agentsRemoveCommand())
    .addCommand(agentsRefreshCommand())
    .addCommand(agentsReloadCommand());
}
