/** What every command that calls a remote agent can be told. */
import { createSecureContext } from "node:tls";
import { InvalidArgumentError, Option, type Command } from "commander";
import { duration } from "../config/units.ts";
import type { ProtocolBinding } from "../protocol/agent-card.ts";
import { connect, type Client } from "./client/client.ts";
import type { ClientTls } from "./client/tls.ts";
import { CommandError, EXIT } from "./exit.ts";
import { textOf } from "./json-file.ts";

export interface ClientFlags {
  readonly binding?: keyof typeof BINDINGS;
  readonly header: Readonly<Record<string, string>>;
  readonly json?: true;
  /** Milliseconds; 0: without limit. */
  readonly timeout: number;
  readonly ca?: string;
  readonly cert?: string;
  readonly certKey?: string;
}

const BINDINGS = { jsonrpc: "JSONRPC", rest: "HTTP+JSON", grpc: "GRPC" } as const satisfies Record<
  string,
  ProtocolBinding
>;

/** What goes with every request. */
export function withRequestOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--header <name: value>", "send a header or gRPC metadata; may be repeated")
        .argParser(header)
        .default({}, "none"),
    )
    .addOption(
      new Option("--timeout <duration>", "how long an answer may take that is no stream; 0: any")
        .argParser(durationOf)
        .default(60_000, "60s"),
    )
    .option("--ca <file>", "trust the certificates in this file, in place of the usual ones")
    .option("--cert <file>", "show this certificate; needs --cert-key")
    .option("--cert-key <file>", "the private key of --cert")
    .option("--json", "print JSON");
}

/** How a request is made, as the client wants it. Throws a CommandError for files that cannot be used. */
export async function requestOptions(flags: ClientFlags) {
  const { header: headers, timeout } = flags;
  const tls = await tlsOf(flags);
  return { headers, ...(timeout > 0 && { timeoutMs: timeout }), ...(tls && { tls }) };
}

async function tlsOf({ ca, cert, certKey }: ClientFlags): Promise<ClientTls | undefined> {
  if ((cert === undefined) !== (certKey === undefined))
    throw new CommandError("--cert and --cert-key need each other", EXIT.usage);
  const tls = {
    ...(ca !== undefined && { ca: await textOf(ca) }),
    ...(cert !== undefined && { cert: await textOf(cert) }),
    ...(certKey !== undefined && { key: await textOf(certKey) }),
  };
  if (Object.keys(tls).length === 0) return undefined;
  try {
    createSecureContext(tls);
  } catch (cause) {
    const what = "expected certificates in PEM, and the key of --cert without a passphrase";
    throw new CommandError(`--ca, --cert, --cert-key: ${what}`, EXIT.failed, { cause });
  }
  return tls;
}

export function withClientOptions(command: Command): Command {
  return withRequestOptions(command).addOption(
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
  const client = await connect({ url, binding, ...(await requestOptions(flags)) });
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

function durationOf(value: string): number {
  const { data, error } = duration.safeParse(value);
  if (data === undefined) throw new InvalidArgumentError(error.issues[0]?.message ?? "");
  return data;
}

function header(value: string, known: Readonly<Record<string, string>>) {
  const [, name, content] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(value) ?? [];
  if (name === undefined || content === undefined)
    throw new InvalidArgumentError('expected a header such as "x-api-key: abc"');
  return { ...known, [name.toLowerCase()]: content };
}
