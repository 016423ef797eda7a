/** A whole gateway in this process, on a port and a database file of its own, whose agents a test plays. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { Reloaded } from "../../src/core/ports/agent-control.ts";
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
  /** The ports of agents that have one of their own now. */
  readonly ownPorts: ReadonlyMap<string, number>;
  /** Where the operations are, when the setup has them listen. */
  readonly opsUrl: string;
  /** Reads another configuration, which is parsed as the first one was. */
  reload(setup: GatewaySetup): Promise<Reloaded>;
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
  const configOf = ({ settings, agents }: GatewaySetup): Config => {
    const config = {
      listen: "127.0.0.1:0",
      database,
      ops: { listen: "off" },
      stop: { grace: "0" },
      ...settings,
      agents: Object.fromEntries(Object.entries(agents).map(agentOf)),
    };
    return parseConfig(JSON.stringify(config), join(folder, "gateway.yaml"), {});
  };
  const log = new RecordedLog();
  let newest = setup;
  const configure = async (): Promise<Config> => configOf(newest);
  const gateway = await startGateway({ config: configOf(setup), configure, log });
  const { port } = gateway.address;
  const opened: Door[] = [];
  const doorsOf = (agent?: string): readonly [Door, Door, Door] => {
    const doors = openDoors(port, agent);
    opened.push(...doors);
    return doors;
  };
  return {
    port,
    get ownPorts() {
      return new Map([...gateway.ownAddresses()].map(([id, address]) => [id, address.port]));
    },
    opsUrl: `http://127.0.0.1:${gateway.opsAddress?.port ?? "off"}`,
    reload(next) {
      newest = next;
      return gateway.reload();
    },
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
