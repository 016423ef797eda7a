import { Command, InvalidArgumentError } from "commander";
import type { ListTasksRequest } from "../protocol/model.ts";
import { isTerminal, TASK_STATES, type TaskState } from "../protocol/states.ts";
import type { Client } from "./client/client.ts";
import type { StreamOptions } from "./client/door.ts";
import type { StreamEvent } from "./client/operations.ts";
import { RemoteError } from "./client/remote-error.ts";
import { webUrl, withClient, withClientOptions, type ClientFlags } from "./client-options.ts";
import { plainJson } from "./plain-text.ts";
import { eventLines, pageLines, print, printJson, stateName, taskLines } from "./print.ts";

interface ListFlags extends ClientFlags {
  readonly context?: string;
  readonly state?: TaskState;
  readonly limit?: number;
  readonly pageToken?: string;
}

interface GetFlags extends ClientFlags {
  readonly history?: number;
}

interface WatchFlags extends ClientFlags {
  readonly after?: string;
}

export function tasksCommand(): Command {
  return new Command("tasks")
    .description("look at an agent's tasks")
    .addCommand(listCommand())
    .addCommand(getCommand())
    .addCommand(cancelCommand())
    .addCommand(watchCommand());
}

function listCommand(): Command {
  return withClientOptions(
    new Command("list")
      .description("list tasks, the newest first")
      .argument("<url>", "the agent's address, or its card's", webUrl)
      .option("--context <id>", "only tasks of this context")
      .option("--state <state>", "only tasks in this state, such as working", stateOf)
      .option("--limit <count>", "how many at most", wholeNumber)
      .option("--page-token <token>", "continue a list"),
  ).action(async (url: string, flags: ListFlags) => {
    await withClient(url, flags, async (client) => {
      const page = await client.call("listTasks", listRequestOf(flags));
      if (flags.json) printJson(page);
      else pageLines(page).forEach(print);
    });
  });
}

function getCommand(): Command {
  return withClientOptions(taskCommand("get", "show a task"))
    .option("--history <count>", "how many messages of its history", wholeNumber)
    .action(async (url: string, id: string, flags: GetFlags) => {
      await withClient(url, flags, async (client) => {
        const task = await client.call("getTask", {
          id,
          ...(flags.history !== undefined && { historyLength: flags.history }),
        });
        if (flags.json) printJson(task);
        else taskLines(task).forEach(print);
      });
    });
}

function cancelCommand(): Command {
  return withClientOptions(taskCommand("cancel", "cancel a task")).action(
    async (url: string, id: string, flags: ClientFlags) => {
      await withClient(url, flags, async (client) => {
        const task = await client.call("cancelTask", { id });
        if (flags.json) printJson(task);
        else taskLines(task).forEach(print);
      });
    },
  );
}

function watchCommand(): Command {
  return withClientOptions(taskCommand("watch", "show a task's events as they come, to its end"))
    .option(
      "--after <number>",
      "first what came after this event: its number is its SSE id, 0 is before the first",
    )
    .action(async (url: string, id: string, flags: WatchFlags) => {
      const options = flags.after === undefined ? {} : { resumeAfter: flags.after };
      await withClient(url, flags, async (client) => {
        for await (const event of eventsOf(client, id, options))
          if (flags.json) print(plainJson(event));
          else eventLines(event).forEach(print);
      });
    });
}

/** A task that has ended takes no subscriber (spec 3.1.6): it is shown as it ended. */
async function* eventsOf(
  client: Client,
  id: string,
  options: StreamOptions,
): AsyncGenerator<StreamEvent> {
  try {
    yield* client.stream("subscribeToTask", { id }, options);
  } catch (thrown) {
    if (!(thrown instanceof RemoteError) || thrown.reason !== "UNSUPPORTED_OPERATION") throw thrown;
    const task = await client.call("getTask", { id });
    if (!isTerminal(task.status.state)) throw thrown;
    yield { task };
  }
}

function taskCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument("<url>", "the agent's address, or its card's", webUrl)
    .argument("<id>", "the task's id");
}

function listRequestOf({ context, state, limit, pageToken }: ListFlags): ListTasksRequest {
  return {
    ...(context !== undefined && { contextId: context }),
    ...(state !== undefined && { status: state }),
    ...(limit !== undefined && { pageSize: limit }),
    ...(pageToken !== undefined && { pageToken }),
  };
}

function stateOf(value: string): TaskState {
  const known = TASK_STATES.slice(1);
  const state = known.find((each) => stateName(each) === value || each === value);
  if (state === undefined)
    throw new InvalidArgumentError(`expected one of ${known.map(stateName).join(", ")}`);
  return state;
}

function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("expected a whole number");
  return Number(value);
}
