/** Turns of a handler for a scripted agent, in a time of their own. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Handler, HandlerEvent, Turn } from "../../../src/core/ports/handler.ts";
import type { UpstreamConfig } from "../../../src/handlers/upstream/config.ts";
import { createUpstreamHandler } from "../../../src/handlers/upstream/handler.ts";
import type { Timers } from "../../../src/handlers/upstream/timers.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import { silent, turnOf } from "../turns.ts";

/** Nothing waits: what is to happen later happens next, and time has passed then. */
export class HastyTimers implements Timers {
  #now = 1_000_000;
  /** How long it was asked to wait. */
  readonly waits: number[] = [];

  now = (): number => this.#now;

  random = (): number => 1;

  after = (milliseconds: number, run: () => void): (() => void) => {
    this.waits.push(milliseconds);
    const timer = setImmediate(() => {
      this.#now += milliseconds;
      run();
    });
    return () => clearImmediate(timer);
  };
}

type Settings = Omit<UpstreamConfig, "kind">;

/** It is closed with the test, and knows the agent's card. */
export async function handlerOf(
  context: TestContext,
  settings: Settings,
  timers: Timers = new HastyTimers(),
): Promise<Handler> {
  let resolve = () => {};
  const found = new Promise<void>((done) => (resolve = done));
  const handler = await openHandler(context, settings, timers, resolve);
  await found;
  return handler;
}

/** It is closed with the test, and does not know the agent's card yet. */
export async function openHandler(
  context: TestContext,
  settings: Settings,
  timers: Timers,
  changed: () => void,
): Promise<Handler> {
  const config = {
    kind: "upstream",
    health: { interval: 0 },
    cardRefresh: 0,
    breaker: { failures: 1_000 },
    ...settings,
  } as const;
  const deps = { baseDir: "/", log: silent, timers, changed };
  const handler = await createUpstreamHandler(config, deps);
  context.after(() => handler.close?.());
  return handler;
}

/** A turn whose end, or cancellation, core would tell its handler. */
export function runningTurn(handler: Handler, changes: Partial<Turn> = {}) {
  const controller = new AbortController();
  const turn = turnOf("hi", { signal: controller.signal, ...changes });
  const abort = (): void => controller.abort(new A2AError("CANCELLED", "over"));
  return {
    turn,
    abort,
    async cancel(): Promise<void> {
      abort();
      await handler.cancel?.(turn, undefined);
    },
  };
}

export function resumed(handler: Handler, turn: Turn): AsyncIterable<HandlerEvent> {
  assert.ok(handler.resume);
  return handler.resume(turn);
}

/** `WORKING`, `a=text`, `a+text`, `message text`: what came, then `!REASON: message` when it failed. */
export async function told(events: AsyncIterable<HandlerEvent>): Promise<string[]> {
  const all: string[] = [];
  try {
    for await (const event of events) if (event.kind !== "upstream") all.push(shortOf(event));
  } catch (thrown) {
    assert.ok(A2AError.is(thrown), String(thrown));
    all.push(`!${thrown.reason}: ${thrown.message}`);
  }
  return all;
}

export function shortOf(event: HandlerEvent): string {
  switch (event.kind) {
    case "upstream":
      return `at ${event.taskId}`;
    case "message":
      return `message ${textOf(event.message)}`;
    case "artifact":
      return `${event.artifact.artifactId}${event.append ? "+" : "="}${textOf(event.artifact)}`;
    case "status":
      return (
        event.state.replace("TASK_STATE_", "") + (event.message ? `: ${textOf(event.message)}` : "")
      );
    case "task":
      return assert.fail("no whole tasks");
  }
}

function textOf({ parts }: { readonly parts: readonly { readonly text?: string }[] }): string {
  return parts.map(({ text }) => text).join("");
}
