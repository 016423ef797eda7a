/** The tasks that the gateway keeps, of whatever agent and owner: `tasks` without `admin` is a caller of one agent. */
import { Command } from "commander";
import { print } from "../print.ts";
import { plainJson } from "../plain-text.ts";
import { adminPath, type Admin } from "./client.ts";
import { rowsIn, wordIn } from "./fields.ts";
import { adminOf, withAdminOptions, type AdminFlags } from "./options.ts";
import {
  MOST,
  moreLines,
  pageQuery,
  wholeNumber,
  withPageOptions,
  type PageFlags,
} from "./paging.ts";
import { show } from "./show.ts";
import { tableLines } from "./table.ts";
import { entryLines, foundTaskLines, TASK_COLUMNS, taskLinesIn } from "./task-lines.ts";

interface ListFlags extends PageFlags {
  readonly agent?: string;
  readonly owner?: string;
  readonly context?: string;
  readonly state?: string;
  readonly from?: string;
  readonly before?: string;
  readonly id?: string;
}

interface EventsFlags extends AdminFlags {
  readonly after: number;
}

/** `admin tasks` alone lists. */
export function adminTasksCommand(): Command {
  return new Command("tasks")
    .description("look at the tasks of every agent and owner")
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(getCommand())
    .addCommand(eventsCommand())
    .addCommand(cancelCommand());
}

function listCommand(): Command {
  return withAdminOptions(
    withPageOptions(
      new Command("list")
        .description("list tasks, those whose status is newest first (the default command)")
        .option("--agent <id>", "only tasks of this agent")
        .option("--owner <owner>", 'only tasks of this owner; "" is nobody')
        .option("--context <id>", "only tasks of this context")
        .option("--state <state>", "only tasks in this state, such as working")
        .option("--from <instant>", "only tasks whose status is of 2026-01-31T12:00:00Z or later")
        .option("--before <instant>", "only tasks whose status is older than that")
        .option("--id <id>", "only the task of this id, here or at its remote agent"),
    ),
  ).action(async (flags: ListFlags) => {
    const { agent, owner, context: contextId, state, from, before, id } = flags;
    const admin = await adminOf(flags);
    const { json } = await admin({
      verb: "GET",
      path: adminPath("tasks"),
      query: { agent, owner, contextId, state, from, before, id, ...pageQuery(flags) },
    });
    show(flags, json, (page) => [
      ...tableLines(TASK_COLUMNS, rowsIn(page, "tasks")),
      ...moreLines(page),
    ]);
  });
}

function getCommand(): Command {
  return taskCommand("get", "show a task with everything in it").action(
    async (id: string, flags: AdminFlags) => {
      const admin = await adminOf(flags);
      const { json } = await admin({ verb: "GET", path: adminPath("tasks", id) });
      show(flags, json, (found) => [...foundTaskLines(found), ...taskLinesIn(found)]);
    },
  );
}

function eventsCommand(): Command {
  return taskCommand("events", "show what happened to a task; with --json, a line for each event")
    .option("--after <generation>", "only what came after this one", wholeNumber, 0)
    .action(async (id: string, flags: EventsFlags) => {
      const admin = await adminOf(flags);
      for await (const entry of entriesOf(admin, id, flags.after))
        if (flags.json) print(plainJson(entry));
        else entryLines(entry).forEach(print);
    });
}

/** Page after page, to the last. */
async function* entriesOf(admin: Admin, id: string, start: number): AsyncGenerator<unknown> {
  for (let after = String(start); after !== "";) {
    const path = adminPath("tasks", id, "events");
    const { json } = await admin({ verb: "GET", path, query: { after, pageSize: MOST } });
    yield* rowsIn(json, "events");
    after = wordIn(json, "nextAfter");
  }
}

function cancelCommand(): Command {
  return taskCommand("cancel", "cancel a task, as its owner could").action(
    async (id: string, flags: AdminFlags) => {
      const admin = await adminOf(flags);
      const { json } = await admin({ verb: "POST", path: adminPath("tasks", id, "cancel") });
      show(flags, json, taskLinesIn);
    },
  );
}

function taskCommand(name: string, description: string): Command {
  return withAdminOptions(
    new Command(name).description(description).argument("<id>", "the task's id"),
  );
}
