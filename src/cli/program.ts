/** The command line: which commands there are, and how each of them may end. */
import { readFile } from "node:fs/promises";
import { Command, CommanderError } from "commander";
import { ConfigError } from "../config/errors.ts";
import { adminCommand } from "./admin/admin.ts";
import { deliveriesCommand } from "./admin/deliveries.ts";
import { agentsCommand } from "./agents.ts";
import { cardCommand } from "./card.ts";
import { checkCommand } from "./check.ts";
import { RemoteError } from "./client/remote-error.ts";
import { CommandError, EXIT } from "./exit.ts";
import { keysCommand } from "./keys.ts";
import { migrateCommand } from "./migrate.ts";
import { passwordsCommand } from "./passwords.ts";
import { plainText } from "./plain-text.ts";
import { sendCommand } from "./send.ts";
import { serveCommand } from "./serve.ts";
import { tasksCommand } from "./tasks.ts";

const COMMANDS = [
  serveCommand,
  migrateCommand,
  checkCommand,
  cardCommand,
  sendCommand,
  tasksCommand,
  agentsCommand,
  adminCommand,
  deliveriesCommand,
  keysCommand,
  passwordsCommand,
];

/** Runs a command; the exit code. A server that was started goes on after that. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command("a2a-gateway")
    .description("Any agent, reachable over A2A: JSON-RPC, HTTP+JSON and gRPC, with durable tasks")
    .version(await packageVersion());
  for (const command of COMMANDS) program.addCommand(command());
  throwInsteadOfExit(program);
  try {
    await program.parseAsync([...args], { from: "user" });
    return EXIT.ok;
  } catch (thrown) {
    return exitCodeOf(thrown);
  }
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) throwInsteadOfExit(each);
}

function exitCodeOf(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (thrown instanceof CommandError) return complain(thrown.message, thrown.exitCode);
  if (thrown instanceof ConfigError) return complain(thrown.message, EXIT.failed);
  if (thrown instanceof RemoteError) return complain(remoteText(thrown), EXIT.failed);
  return complain(faultText(thrown), EXIT.failed);
}

function complain(text: string, exitCode: number): number {
  process.stderr.write(`${text}\n`);
  return exitCode;
}

function remoteText({ code, reason, message }: RemoteError): string {
  const name = reason ?? (code === undefined ? "" : String(code));
  return plainText(["error", name, message].filter((part) => part !== "").join(": "));
}

/**
 * What the system refused, such as a port in use, and what was put into words for the reader, with the original as its
 * cause, is told in a line; anything else is a fault of ours, with its stack.
 */
function faultText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `error: ${String(thrown)}`;
  const isWorded = "syscall" in thrown || thrown.cause !== undefined;
  return `error: ${isWorded ? thrown.message : (thrown.stack ?? thrown.message)}`;
}

/** From the source as from the build, package.json is found on the way up. */
async function packageVersion(): Promise<string> {
  for (const up of ["../../package.json", "../../../package.json"]) {
    const text = await readFile(new URL(up, import.meta.url), "utf8").catch(() => undefined);
    if (text === undefined) continue;
    const { version } = JSON.parse(text) as { readonly version: string };
    return version;
  }
  return "unknown";
}
