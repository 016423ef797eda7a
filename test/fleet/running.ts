/** Gateways with an operations port, whose agents say who they are. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openConnection } from "../../src/store/knex/connection.ts";
import { adminOf } from "../e2e/admin.ts";
import { artifactTexts, messageOf, taskIn } from "../e2e/requests.ts";
import { runGateway, type GatewaySetup, type RunningGateway } from "../support/gateway.ts";

export const SETTINGS = { ops: { listen: "127.0.0.1:0" } };

/** The whole definition of an agent that answers with that text. */
export function answering(text: string, more: object = {}) {
  const script = [{ artifact: { text } }];
  return { name: text, description: "", static: { otherwise: { script } }, ...more };
}

/** A setup of such agents. */
export function configured(...definitions: readonly (readonly [id: string, definition: object])[]) {
  const agents = definitions.map(([id, settings]) => [id, { settings }] as const);
  return { agents: Object.fromEntries(agents), settings: SETTINGS };
}

export async function running(t: TestContext, setup: GatewaySetup) {
  const gateway = await runGateway(setup);
  t.after(() => gateway.stop());
  const portOf = (agent: string): number => {
    const port = gateway.ownPorts.get(agent);
    if (port === undefined) throw new Error(`agent ${agent} has no port`);
    return port;
  };
  return {
    gateway,
    portOf,
    admin: adminOf(gateway.opsUrl),
    said: (agent: string) => saidAt(gateway, agent),
  };
}

/** What an agent answers on the port of all. */
async function saidAt(gateway: RunningGateway, agent: string): Promise<string> {
  const [door] = gateway.doorsOf(agent);
  return artifactTexts(taskIn(await door.call("sendMessage", messageOf("hi")))).join();
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "a2a-fleet-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** Runs statements on the database of a gateway, as somebody else does who has the file. */
export async function alter(database: string, sql: string): Promise<void> {
  const connection = await openConnection(database);
  await connection.exec(sql);
  await connection.close();
}

/** Resolves once no server listens in this process; what has closed is counted for a moment longer. */
export async function nobodyListens(): Promise<void> {
  while (process.getActiveResourcesInfo().includes("TCPServerWrap")) await setImmediate();
}
