/** What every command that calls a remote agent can be told. */
import { InvalidArgumentError, Option, type Command } from "commander";
import type { ProtocolBinding } from "../protocol/agent-card.ts";
import { connect, type Client } from "./client/client.ts";

export interface ClientFlags {
  readonly binding?: keyof typeof BINDINGS;
  readonly header: Readonly<Record<string, string>>;
  readonly json?: true;
}

const BINDINGS = { jsonrpc: "JSONRPC", rest: "HTTP+JSON", grpc: "GRPC" } as const satisfies Record<
  string,
  ProtocolBinding
>;

export function withHeaderOption(command: Command): Command {
  return command
    .option("--header <name: value>", "send a header or gRPC metadata; may be repeated", header, {})
    .option("--json", "print JSON");
}

export function withClientOptions(command: Command): Command {
  return withHeaderOption(command).addOption(
    new Option("--binding <binding>", "default: the first in the agent's card").choices(
      Object.keys(BINDINGS),
    ),
  );
}

/** Runs with a client that is closed afterwards. */
export async function withClient(
  url: string,
  flags: ClientFlags,
  use: (client: Client) => Promise<void>,
): Promise<void> {
  const binding = flags.binding && BINDINGS[flags.binding];
  const client = await connect({ url, binding, headers: flags.header });
  try {
    await use(client);
  } finally {
    client.close();
  }
}

export function webUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new InvalidArgumentError("expected an http or https URL");
  return value;
}

function header(value: string, known: Readonly<Record<string, string>>) {
  const [, name, content] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(value) ?? [];
  if (name === undefined || content === undefined)
    throw new InvalidArgumentError('expected a header such as "x-api-key: abc"');
  return { ...known, [name.toLowerCase()]: content };
}
