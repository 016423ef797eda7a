import { Command, InvalidArgumentError, Option } from "commander";
import { ENVIRONMENT, unknownVariables, VARIABLE_NAMES } from "../config/environment.ts";
import { nearest } from "../config/suggest.ts";
import type { Reloaded } from "../core/ports/agent-control.ts";
import type { Config } from "../config/config.ts";
import type { TlsConfig } from "../config/tls.ts";
import type { Address } from "../config/addresses.ts";
import { createLog, type Logger } from "../log.ts";
import { EXIT } from "./exit.ts";
import { ignoreHangups, reloadOnChange } from "./reload.ts";
import { serveConfigOf, type ServeFlags } from "./serve-config.ts";
import { stopOnSignals } from "./signals.ts";

/** Beyond the grace of the configuration, for whatever else has to close. */
const STOP_MARGIN_MS = 10_000;

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
  const configure = (): Promise<Config> => serveConfigOf(file, flags);
  const config = await configure();
  const log = createLog(config.log.level);
  exitOnFault(log);
  goOnUnread();
  for (const variable of unknownVariables(ENVIRONMENT))
    log.warn({ variable, nearest: nearest(variable, VARIABLE_NAMES) }, "unknown variable");
  if (config.publicUrl === undefined && isWildcard(config.listen.host))
    log.warn(
      { listen: config.listen },
      "agent cards name the loopback address: set publicUrl for callers on other machines",
    );
  // Loaded here, so that the commands that are clients start without a database and its like.
  const { startGateway } = await import("../gateway.ts");
  const starting = startGateway({ config, log, ...(file !== undefined && { configure }) });
  // From now on, since the signal would end a process that is still starting.
  const reload = async (cause: string): Promise<Reloaded> => (await starting).reload(cause);
  process.on(
    "SIGHUP",
    () => void starting.then((gateway) => gateway.reopenFiles()).catch(() => {}),
  );
  const endReloading = file === undefined ? ignoreHangups() : reloadOnChange(file, reload, log);
  stopOnSignals({
    async stop() {
      endReloading();
      await (await starting).stop();
    },
    deadline: config.stop.grace + STOP_MARGIN_MS,
    log,
  });
  const { address, opsAddress } = await starting;
  // Scripts wait for this line.
  log.always(
    {
      url: urlOf(address, config.tls),
      pid: process.pid,
      ...(opsAddress && { ops: urlOf(opsAddress, config.ops.tls) }),
    },
    "ready",
  );
  log.flush();
}

function urlOf({ host, port }: Address, tls: TlsConfig | undefined): string {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return `${tls === undefined ? "http" : "https"}://${authority}`;
}

/**
 * An exception that nobody caught leaves the process in a state that nobody knows: it ends, and says why. A rejection
 * that nobody handles does not: a module that looks at a promise later than it rejects is at work like any other.
 */
function exitOnFault(log: Logger): void {
  process.on("unhandledRejection", (err) =>
    log.error({ err }, "a rejection was not handled, perhaps one of a module agent"),
  );
  process.on("uncaughtException", (err) => {
    log.error({ err }, "uncaught exception");
    log.flush();
    process.exit(EXIT.failed);
  });
}

/** Whoever read our output may have stopped. Other commands end then; a server goes on, and so do modules that print. */
function goOnUnread(): void {
  process.stdout.removeAllListeners("error").on("error", () => {});
  process.stderr.on("error", () => {});
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function portOf(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError("expected a port from 0 to 65535");
  return Number(value);
}
