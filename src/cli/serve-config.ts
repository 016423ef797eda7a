/** The configuration of `serve`: a file, or an agent made from options; some options win over both. */
import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { ECHO_AGENT } from "../config/default.ts";
import { loadConfig, parseConfig } from "../config/load.ts";
import { CommandError, EXIT } from "./exit.ts";

export interface ServeFlags {
  readonly exec?: string;
  readonly mode?: "plain" | "events";
  readonly name?: string;
  readonly description?: string;
  readonly skill?: readonly string[];
  readonly streaming?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly database?: string;
}

const AGENT_FLAGS = ["exec", "mode", "name", "description", "skill", "streaming"] as const;

export async function serveConfigOf(file: string | undefined, flags: ServeFlags): Promise<Config> {
  const config = file === undefined ? configOfFlags(flags) : await configOfFile(file, flags);
  return withListenerFlags(config, flags);
}

async function configOfFile(file: string, flags: ServeFlags): Promise<Config> {
  const extra = AGENT_FLAGS.find((name) => flags[name] !== undefined);
  if (extra !== undefined)
    throw new CommandError(
      `--${extra} describes an agent, and ${file} has them already`,
      EXIT.usage,
    );
  return loadConfig(file);
}

function configOfFlags(flags: ServeFlags): Config {
  if (flags.exec === undefined && flags.mode !== undefined)
    throw new CommandError("--mode needs --exec", EXIT.usage);
  const agents = flags.exec === undefined ? { echo: echoOf(flags) } : { agent: programOf(flags) };
  // A "${" in an option was the shell's business already: it is not a variable of the configuration.
  const text = JSON.stringify({ agents }).replaceAll("${", () => "$${");
  return parseConfig(text, "command line");
}

function echoOf(flags: ServeFlags): object {
  return { ...ECHO_AGENT, ...cardOf(flags) };
}

function programOf(flags: ServeFlags): object {
  return {
    name: "Agent",
    description: "Runs a program on every message",
    ...cardOf(flags),
    exec: {
      command: flags.exec,
      ...(flags.mode !== undefined && { mode: flags.mode }),
      ...(flags.streaming === true && flags.mode !== "events" && { stream: true }),
    },
  };
}

function cardOf({ name, description, skill, streaming }: ServeFlags): object {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(skill !== undefined && { skills: skill.map(skillOf) }),
    ...(streaming !== undefined && { streaming }),
  };
}

/** `weather` or `weather: tells tomorrow's weather`. */
function skillOf(written: string): object {
  const [, name = written, description = name] = /^([^:]+):\s*(.+)$/.exec(written) ?? [];
  const id =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "skill";
  return { id, name, description, tags: [id] };
}

function withListenerFlags(config: Config, { host, port, database }: ServeFlags): Config {
  return {
    ...config,
    listen: { host: host ?? config.listen.host, port: port ?? config.listen.port },
    ...(database !== undefined && {
      database: database === ":memory:" ? database : resolve(database),
    }),
  };
}
