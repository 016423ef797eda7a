/** A gateway, a receiver of webhooks, and what a test says of deliveries. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Fields } from "../support/doors.ts";
import { runGateway, type AgentSetup, type RunningGateway } from "../support/gateway.ts";
import { startReceiver, type Receiver, type Told } from "../support/receiver.ts";
import { adminOf } from "./admin.ts";
import { hookDoors } from "./webhook-doors.ts";
import { DOOR_NAMES } from "./door-names.ts";
import type { HookDoor } from "./webhook-face.ts";
import { shortOf } from "./requests.ts";

/** Webhooks on this machine, and tries that follow one another at once. */
export const LOCAL = {
  allowPrivate: true,
  allowHttp: true,
  backoff: { first: "1ms", most: "2ms" },
};

export const OPS = { ops: { listen: "127.0.0.1:0" } };

export interface Stage {
  readonly gateway: RunningGateway;
  readonly receiver: Receiver;
  /** A door of an agent, by its name. */
  doorOf(name: string, agent: string): HookDoor;
  /** A path of its own at the receiver, for one case. */
  path(): string;
}

/** What those who run a gateway see of a delivery. */
export interface Delivery {
  readonly generation: number;
  readonly state: "due" | "delivered" | "dead";
  readonly attempts: number;
  readonly problem?: string;
}

/** Resolves with the deliveries of a task once they are as they should be. */
export async function deliveriesOnce(
  { opsUrl }: RunningGateway,
  taskId: string,
  areSo: (deliveries: readonly Delivery[]) => boolean,
): Promise<readonly Delivery[]> {
  for (;;) {
    const query = `task=${taskId}&pageSize=100`;
    const answer = await adminOf(opsUrl).done("GET", `/deliveries?${query}`);
    const { deliveries } = answer as { readonly deliveries: readonly Delivery[] };
    if (areSo(deliveries)) return deliveries;
    await setTimeout(5);
  }
}

export function areAll(
  state: Delivery["state"],
  count: number,
): (deliveries: readonly Delivery[]) => boolean {
  return (deliveries) =>
    deliveries.length === count && deliveries.every((each) => each.state === state);
}

/** The stage while the tests of a file run; nothing may be wrong with the gateway at the end. */
export function stageOf(agents: Readonly<Record<string, AgentSetup>>, push: object = LOCAL) {
  let stage: Stage | undefined;
  const opened: HookDoor[] = [];
  before(async () => {
    const receiver = await startReceiver();
    const gateway = await runGateway({ agents, settings: { push, ...OPS } });
    let paths = 0;
    stage = {
      gateway,
      receiver,
      doorOf(name, agent) {
        const doors = hookDoors(gateway.port, agent);
        opened.push(...doors);
        const door = doors.find((each) => each.name === name);
        assert(door, name);
        return door;
      },
      path: () => `/hook-${++paths}`,
    };
  });
  after(async () => {
    for (const door of opened) door.close();
    await stage?.gateway.stop();
    await stage?.receiver.stop();
    assert.deepEqual(stage?.gateway.log.errors, []);
  });
  return (): Stage => {
    assert(stage, "the stage is set once the tests run");
    return stage;
  };
}

/** Runs the same cases on each of the six doors. */
export function eachHookDoor(cases: (name: string) => void): void {
  for (const name of DOOR_NAMES) describe(name, () => cases(name));
}

/** A delivery in short: `status WORKING`, `artifact text` or `task WORKING`; the task of 0.3 is `whole WORKING`. */
export function briefOf({ headers, body }: Told): string {
  const isOlder = body["kind"] === "task";
  assert.equal(headers["a2a-version"], isOlder ? "0.3" : "1.0");
  assert.equal(headers["content-type"], isOlder ? "application/json" : "application/a2a+json");
  if (!isOlder) return shortOf({ id: undefined, response: body });
  const { state } = body["status"] as { readonly state: string };
  return `whole ${state.toUpperCase().replaceAll("-", "_")}`;
}

/** What a door's version tells of those events, given as 1.0 tells them. */
export function asTold({ version }: HookDoor, events: readonly string[]): readonly string[] {
  if (version === "1.0") return events;
  let state = "";
  return events.map((event) => {
    const [kind = "", said = ""] = event.split(" ");
    if (kind !== "artifact") state = said;
    return `whole ${state}`;
  });
}

/** Whether the last of the deliveries tells that state. */
export function endsIn(state: string): (told: readonly Told[]) => boolean {
  return (told) => told.some((each) => briefOf(each).endsWith(` ${state}`));
}

/** The generation of the event that a delivery tells, by its id. */
export function generationOf({ headers }: Told): number {
  return Number(String(headers["a2a-delivery-id"]).split(".")[1]);
}

export function taskTold({ body }: Told): Fields {
  return (body["kind"] === "task" ? body : body["task"]) as Fields;
}
