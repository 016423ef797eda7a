/** A gateway with limits, and callers with keys of their own. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import type { Handler } from "../../src/core/ports/handler.ts";
import type { OperationName } from "../../src/protocol/service.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { completed, says, ScriptedHandler } from "../support/scripted-handler.ts";
import type { Answer } from "./access-answers.ts";
import { asking } from "./access-asking.ts";
import { accessDoors, type AccessDoor, type Headers } from "./access-doors.ts";

export interface LimitStage {
  readonly gateway: RunningGateway;
  /** The six doors of the agent `own`. */
  readonly doors: readonly AccessDoor[];
  doorsOf(agent: string): readonly AccessDoor[];
}

export interface LimitSetup {
  /** Below `limits.calls`. */
  readonly calls?: object;
  /** Beside `listen` and the like. */
  readonly settings?: object;
  /** What the agent `own` says. */
  readonly agent?: object;
  readonly handler?: Handler;
}

/** Its agents are `own` and `other`. */
export async function limitStage(t: TestContext, setup: LimitSetup): Promise<LimitStage> {
  const gateway = await runGateway(setupOf(setup));
  const opened: AccessDoor[] = [];
  const doorsOf = (agent: string): readonly AccessDoor[] => {
    const doors = accessDoors(gateway, agent, `/a2a/${agent}`);
    opened.push(...doors);
    return doors;
  };
  t.after(async () => {
    for (const door of opened) door.close();
    await gateway.stop();
  });
  return { gateway, doors: doorsOf("own"), doorsOf };
}

/** What the gateway of such a stage is started with, and read again with. */
export function setupOf({ calls = {}, settings, agent, handler = DONE }: LimitSetup) {
  return {
    agents: { own: { handler, settings: agent ?? {} }, other: { handler: DONE } },
    settings: { limits: { calls }, ...settings },
  };
}

const DONE = new ScriptedHandler(says(completed));

/** Access for callers whose key is their id with `-key` behind it, each `tenant/id` or `id`. */
export function accessFor(callers: readonly string[], rest: object = {}): object {
  const keys = callers.map((caller) => {
    const [id = "", tenant] = caller.split("/").toReversed();
    const hash = createHash("sha256").update(keyOf(caller)).digest("hex");
    return { hash, principal: { id, ...(tenant !== undefined && { tenant }) } };
  });
  const authenticators = [{ apiKey: { in: "header", name: "x-api-key", keys } }];
  return { access: { mode: "required", authenticators, ...rest } };
}

export function headersOf(caller: string): Headers {
  return { "x-api-key": keyOf(caller) };
}

function keyOf(caller: string): string {
  return `${caller}-key-${"x".repeat(32)}`;
}

/** One call of an operation on a door; about a task that is not there, but for what begins one. */
export function ask(
  door: AccessDoor,
  operation: OperationName,
  headers: Headers = {},
): Promise<Answer> {
  const [way] = door.ways.get(operation) ?? [];
  assert.ok(way, `${door.name} has no ${operation}`);
  const begins = operation === "sendMessage" || operation === "sendStreamingMessage";
  return way(asking({ task: begins ? "" : "none" }), headers);
}

/** How many of so many calls are not refused by a limit. */
export async function passing(
  door: AccessDoor,
  calls: number,
  headers: Headers = {},
): Promise<number> {
  let passed = 0;
  for (let call = 0; call < calls; call++) {
    const { verdict } = await ask(door, "getTask", headers);
    if (verdict !== "rate limited") passed++;
  }
  return passed;
}
