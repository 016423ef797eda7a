/** What the gateway still has to tell to webhooks, and what it could not. */
import { Command } from "commander";
import type { JsonObject } from "../../protocol/json.ts";
import { CommandError, EXIT } from "../exit.ts";
import { member } from "../client/remote-error.ts";
import { plainWord } from "../plain-text.ts";
import { adminPath } from "./client.ts";
import { rowsIn, wordIn } from "./fields.ts";
import { adminOf, withAdminOptions, type AdminFlags } from "./options.ts";
import { moreLines, pageQuery, wholeNumber, withPageOptions, type PageFlags } from "./paging.ts";
import { show } from "./show.ts";
import { tableLines, type Column } from "./table.ts";

interface Filter {
  readonly agent?: string;
  readonly task?: string;
  readonly config?: string;
}

interface ListFlags extends PageFlags, Filter {
  readonly state?: string;
}

interface RedriveFlags extends AdminFlags, Filter {
  readonly generation?: number;
  readonly all?: true;
}

export function deliveriesCommand(): Command {
  return new Command("deliveries")
    .description("look after what a running gateway tells to webhooks")
    .addCommand(listCommand())
    .addCommand(countsCommand())
    .addCommand(redriveCommand())
    .addCommand(holdCommand("pause", "hold back what is due to a webhook"))
    .addCommand(holdCommand("resume", "let what is due to a webhook go again"));
}

const COLUMNS: readonly Column[] = [
  { title: "TASK", cell: (delivery) => wordIn(delivery, "taskId") },
  { title: "CONFIG", cell: (delivery) => wordIn(delivery, "configId") },
  { title: "GENERATION", cell: (delivery) => wordIn(delivery, "generation") },
  { title: "STATE", cell: (delivery) => wordIn(delivery, "state") },
  { title: "ATTEMPTS", cell: (delivery) => wordIn(delivery, "attempts") },
  { title: "DUE", cell: (delivery) => wordIn(delivery, "dueAt") },
  { title: "URL", cell: (delivery) => wordIn(delivery, "url") },
  { title: "PROBLEM", cell: (delivery) => wordIn(delivery, "problem") },
];

function listCommand(): Command {
  return withAdminOptions(
    withPageOptions(
      withFilter(new Command("list").description("list deliveries")).option(
        "--state <state>",
        "only those that are due, delivered or dead",
      ),
    ),
  ).action(async (flags: ListFlags) => {
    const { state, agent, task, config } = flags;
    const admin = await adminOf(flags);
    const { json } = await admin({
      verb: "GET",
      path: adminPath("deliveries"),
      query: { state, agent, task, config, ...pageQuery(flags) },
    });
    show(flags, json, (page) => [
      ...tableLines(COLUMNS, rowsIn(page, "deliveries")),
      ...moreLines(page),
    ]);
  });
}

function countsCommand(): Command {
  return withAdminOptions(
    new Command("counts").description("say how many deliveries are due, dead and sent"),
  ).action(async (flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const { json } = await admin({ verb: "GET", path: adminPath("deliveries", "counts") });
    show(flags, json, (counts) => {
      const oldest = wordIn(counts, "oldestDueAt");
      const sent = member(counts, "sent");
      const [delivered, failed] = [wordIn(sent, "delivered"), wordIn(sent, "failed")];
      return [
        `due   ${wordIn(counts, "due")}${oldest && `, the oldest since ${oldest}`}`,
        `dead  ${wordIn(counts, "dead")}`,
        `sent  ${delivered} since the start, and ${failed} tries that failed`,
      ];
    });
  });
}

function redriveCommand(): Command {
  return withAdminOptions(
    withFilter(new Command("redrive").description("make dead deliveries due again"))
      .option("--generation <generation>", "only the delivery of this event", wholeNumber)
      .option("--all", "every dead delivery"),
  ).action(async (flags: RedriveFlags) => {
    const body = redriveOf(flags);
    const admin = await adminOf(flags);
    const path = adminPath("deliveries", "redrive");
    const { json } = await admin({ verb: "POST", path, body });
    show(flags, json, (redriven) => [`${wordIn(redriven, "redriven")} due again`]);
  });
}

/** Everything at once must be meant. */
function redriveOf({ all, task, config, agent, generation }: RedriveFlags): JsonObject {
  const body = {
    ...(task !== undefined && { task }),
    ...(config !== undefined && { config }),
    ...(agent !== undefined && { agent }),
    ...(generation !== undefined && { generation }),
  };
  const isFiltered = Object.keys(body).length > 0;
  if (isFiltered === (all === true))
    throw new CommandError("expected --all, or options that say which deliveries", EXIT.usage);
  return body;
}

function holdCommand(verb: "pause" | "resume", description: string): Command {
  return withAdminOptions(
    new Command(verb)
      .description(description)
      .argument("<task>", "the task's id")
      .argument("<config>", "the id of its webhook's config"),
  ).action(async (task: string, config: string, flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const path = adminPath("webhooks", task, config, verb);
    const { json } = await admin({ verb: "POST", path });
    show(flags, json, () => [`${verb}d ${plainWord(config)} of ${plainWord(task)}`]);
  });
}

function withFilter(command: Command): Command {
  return command
    .option("--agent <id>", "only those of this agent")
    .option("--task <id>", "only those of this task")
    .option("--config <id>", "only those to this config");
}
