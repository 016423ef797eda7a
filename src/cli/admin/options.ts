/** What every command for operators can be told: where the gateway is, and who asks. */
import { InvalidArgumentError, type Command } from "commander";
import { ENVIRONMENT } from "../../config/environment.ts";
import { baseUrl } from "../../config/addresses.ts";
import { requestOptions, withRequestOptions, type ClientFlags } from "../client-options.ts";
import { CommandError, EXIT } from "../exit.ts";
import { textOf } from "../json-file.ts";
import { adminAt, type Admin } from "./client.ts";

export interface AdminFlags extends ClientFlags {
  readonly admin?: string;
  readonly token?: string;
  readonly tokenFile?: string;
}

const ADDRESS = "A2A_GATEWAY_ADMIN";
const TOKEN = "A2A_GATEWAY_ADMIN_TOKEN";
const DEFAULT_ADDRESS = "http://127.0.0.1:9090";

export function withAdminOptions(command: Command): Command {
  return withRequestOptions(
    command
      .option(
        "--admin <url>",
        `the gateway's operations port (default: ${ADDRESS}, or ${DEFAULT_ADDRESS})`,
        addressOf,
      )
      .option("--token <token>", `its ops.token (default: ${TOKEN})`)
      .option("--token-file <file>", "a file that holds the token"),
  );
}

/** The gateway that the options and the environment name. Throws a CommandError for what cannot be used. */
export async function adminOf(flags: AdminFlags): Promise<Admin> {
  const token = await tokenOf(flags);
  const { headers, ...limit } = await requestOptions(flags);
  return adminAt({
    url: flags.admin ?? addressInEnvironment() ?? DEFAULT_ADDRESS,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...limit,
  });
}

function addressOf(value: string): string {
  const { data, error } = baseUrl.safeParse(value);
  if (data === undefined) throw new InvalidArgumentError(error.issues[0]?.message ?? "");
  return data;
}

function addressInEnvironment(): string | undefined {
  const value = ENVIRONMENT[ADDRESS];
  if (value === undefined || value === "") return undefined;
  const { data, error } = baseUrl.safeParse(value);
  if (data === undefined)
    throw new CommandError(`${ADDRESS}: ${error.issues[0]?.message}`, EXIT.usage);
  return data;
}

async function tokenOf({ token, tokenFile }: AdminFlags): Promise<string | undefined> {
  if (token !== undefined && tokenFile !== undefined)
    throw new CommandError("--token and --token-file are two tokens", EXIT.usage);
  if (tokenFile !== undefined) return checked(tokenFile, (await textOf(tokenFile)).trim());
  if (token !== undefined) return checked("--token", token);
  const inherited = ENVIRONMENT[TOKEN];
  return inherited === undefined || inherited === "" ? undefined : checked(TOKEN, inherited);
}

/** What no header can carry is told here, where the token itself stays out of the message. */
function checked(origin: string, token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CommandError(`${origin}: expected a token of printable ASCII characters`, EXIT.usage);
}
