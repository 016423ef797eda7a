import { randomUUID } from "node:crypto";
import { Command } from "commander";
import type { SendMessageRequest } from "../protocol/model.ts";
import { isTerminal, type TaskState } from "../protocol/states.ts";
import type { StreamEvent } from "./client/operations.ts";
import { webUrl, withClient, withClientOptions, type ClientFlags } from "./client-options.ts";
import { CommandError } from "./exit.ts";
import { plainJson } from "./plain-text.ts";
import { answerLines, eventLines, print, printJson, stateName } from "./print.ts";

interface SendFlags extends ClientFlags {
  readonly stream?: true;
  readonly wait: boolean;
  readonly context?: string;
  readonly task?: string;
}

export function sendCommand(): Command {
  return withClientOptions(
    new Command("send")
      .description("send a message to an agent and show its answer")
      .argument("<url>", "the agent's address, or its card's", webUrl)
      .argument("<text>", "what to say")
      .option("--stream", "show events as they come")
      .option("--no-wait", "answer with the task at once, without waiting for its end")
      .option("--context <id>", "the context to continue")
      .option("--task <id>", "the task to continue"),
  ).action(async (url: string, text: string, flags: SendFlags) => {
    const request = requestOf(text, flags);
    await withClient(url, flags, async (client) => {
      if (flags.stream) {
        let state: TaskState | undefined;
        for await (const event of client.stream("sendStreamingMessage", request)) {
          if (flags.json) print(plainJson(event));
          else eventLines(event).forEach(print);
          state = stateOf(event) ?? state;
        }
        return checkEnd(state);
      }
      const answer = await client.call("sendMessage", request);
      if (flags.json) printJson(answer);
      else answerLines(answer).forEach(print);
      checkEnd(stateOf(answer));
    });
  });
}

/** A script that sends must be able to tell from the exit code that its task came to nothing. */
function checkEnd(state: TaskState | undefined): void {
  if (state !== undefined && isTerminal(state) && state !== "TASK_STATE_COMPLETED")
    throw new CommandError(`error: the task was ${stateName(state)}`);
}

function stateOf(event: StreamEvent): TaskState | undefined {
  if ("task" in event) return event.task.status.state;
  return "statusUpdate" in event ? event.statusUpdate.status.state : undefined;
}

function requestOf(text: string, { context, task, wait }: SendFlags): SendMessageRequest {
  return {
    message: {
      messageId: randomUUID(),
      role: "ROLE_USER",
      parts: [{ text }],
      ...(context !== undefined && { contextId: context }),
      ...(task !== undefined && { taskId: task }),
    },
    ...(!wait && { configuration: { returnImmediately: true } }),
  };
}
