import { Command, InvalidArgumentError, Option } from "commander";
import type { Address } from "../config/units.ts";
import { createLog, type Logger } from "../log.ts";
import { EXIT } from "./exit.ts";
import { serveConfigOf, type ServeFlags } from "./serve-config.ts";
import { stopOnSignals } from "./signals.ts";

interface Addresses {
  readonly address: Address;
  readonly opsAddress?: Address | undefined;
}

export function serveCommand(): Command {
  return new Command("serve")
    .description("serve the agents of a configuration file; without one, an agent that echoes")
    .argument("[config]", "a YAML file")
    .option("--exec <command>", "serve an agent that runs this command on every message")
    .addOption(
      new Option("--mode <mode>", "what the command reads and writes").choices(["plain", "events"]),
    )
    .option("--name <name>", "the agent's name")
    .option("--description <text>", "the agent's description")
    .option("--skill <name...>", 'a skill, such as "weather" or "weather: tells the weather"')
    .option("--streaming", "offer streaming, and send the command's output as it comes")
    .option("--no-streaming", "offer no streaming")
    .option("--port <port>", "the port to listen on", portOf)
    .option("--host <host>", "the address to listen on")
    .option("--database <file>", "the SQLite file, or :memory:")
    .action(serve);
}

async function serve(file: string | undefined, flags: ServeFlags): Promise<void> {
  const config = await serveConfigOf(file, flags);
  const log = createLog(config.log.level);
  exitOnFault(log);
  if (config.publicUrl === undefined && isWildcard(config.listen.host))
    log.warn(
      { listen: config.listen },
      "agent cards name the loopback address: set publicUrl for callers on other machines",
    );
  // Loaded here, so that the commands that are clients start without a database and its like.
  const { startGateway } = await import("../gateway.ts");
  const starting = startGateway({ config, log });
  stopOnSignals(async () => (await starting).stop(), log);
  const gateway = await starting;
  log.flush();
  announce(gateway);
}

/** Written whatever the log level is: scripts wait for this line. */
function announce({ address, opsAddress }: Addresses): void {
  const line = {
    level: "info",
    time: new Date().toISOString(),
    url: `http://${authorityOf(address)}`,
    ...(opsAddress && { ops: `http://${authorityOf(opsAddress)}` }),
    msg: "ready",
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function authorityOf({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A fault that nobody caught leaves the process in a state that nobody knows: it ends, and says why. */
function exitOnFault(log: Logger): void {
  const exit = (what: string) => (err: unknown) => {
    log.error({ err }, what);
    log.flush();
    process.exit(EXIT.failed);
  };
  process.on("unhandledRejection", exit("unhandled rejection"));
  process.on("uncaughtException", exit("uncaught exception"));
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function portOf(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError("expected a port from 0 to 65535");
  return Number(value);
}
