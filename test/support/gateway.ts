/** A whole gateway in this process, on a port and a database file of its own, whose agents a test plays. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "../../src/config/load.ts";
import type { Handler } from "../../src/core/ports/handler.ts";
import { startGateway } from "../../src/gateway.ts";
import { openDoors, type Door } from "./doors.ts";
import { RecordedLog } from "./recorded-log.ts";
import { play } from "./fixtures/scripted-agent.ts";

/** What the configuration says of an agent; without a handler of its own it is played by `handler`. */
export interface AgentSetup {
  readonly handler?: Handler;
  readonly settings?: object;
}

export interface GatewaySetup {
  /** The first one is the primary agent. */
  readonly agents: Readonly<Record<string, AgentSetup>>;
  readonly settings?: object;
  /** A folder that outlives the gateway; without one it has a temporary one of its own. */
  readonly folder?: string;
}

export interface RunningGateway {
  readonly port: number;
  /** The ports of agents that have one of their own. */
  readonly ownPorts: ReadonlyMap<string, number>;
  /** The doors of the primary agent. */
  readonly doors: readonly [Door, Door, Door];
  doorsOf(agent: string): readonly [Door, Door, Door];
  readonly log: RecordedLog;
  readonly database: string;
  stop(): Promise<void>;
}

const MODULE = join(import.meta.dirname, "fixtures/scripted-agent.ts");

export async function runGateway(setup: GatewaySetup): Promise<RunningGateway> {
  const folder = setup.folder ?? (await mkdtemp(join(tmpdir(), "a2a-e2e-")));
  const database = join(folder, "gateway.db");
  const config = {
    listen: "127.0.0.1:0",
    database,
    ops: { listen: "off" },
    stop: { grace: "0" },
    ...setup.settings,
    agents: Object.fromEntries(Object.entries(setup.agents).map(agentOf)),
  };
  const log = new RecordedLog();
  const text = JSON.stringify(config);
  const gateway = await startGateway({
    config: parseConfig(text, join(folder, "gateway.yaml"), {}),
    log,
  });
  const { port } = gateway.address;
  const opened: Door[] = [];
  const doorsOf = (agent?: string): readonly [Door, Door, Door] => {
    const doors = openDoors(port, agent);
    opened.push(...doors);
    return doors;
  };
  return {
    port,
    ownPorts: new Map([...gateway.ownAddresses].map(([id, address]) => [id, address.port])),
    doors: doorsOf(),
    doorsOf,
    log,
    database,
    async stop() {
      for (const door of opened) door.close();
      await gateway.stop();
      if (setup.folder === undefined) await rm(folder, { recursive: true });
    },
  };
}

function agentOf([id, { handler, settings }]: [string, AgentSetup]): [string, object] {
  if (handler) play(id, handler);
  const played = handler ? { module: { path: MODULE, export: "handle" } } : {};
  return [id, { name: id, description: `The agent ${id}`, ...played, ...settings }];
}
