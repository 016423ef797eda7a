import { variableOf } from "./environment.ts";
import type { Address } from "./addresses.ts";

const REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use",
  EADDRNOTAVAIL: "is no address of this machine",
  EACCES: "may not be used",
  ENOTFOUND: "is not known",
};

const listenError = Symbol.for("a2a-gateway.listen-error");

/** An address that is not to be had; the message says which, why, and where it is set. */
export class ListenError extends Error {
  readonly [listenError] = true;

  static is(thrown: unknown): thrown is ListenError {
    return typeof thrown === "object" && thrown !== null && listenError in thrown;
  }
}

/** Opens a door at a configured address. Throws a ListenError that names the setting when that is not to be had. */
export async function listenAt<T>(
  setting: "listen" | "grpcListen" | "ops.listen" | `agents.${string}.port`,
  address: Address,
  open: (address: Address) => Promise<T>,
): Promise<T> {
  try {
    return await open(address);
  } catch (cause) {
    const { host, port } = address;
    const authority = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
    const named = [`setting ${setting}`, variableOf(setting)].filter(Boolean).join(", ");
    throw new ListenError(`listen ${authority} ${refusalOf(cause)} (${named})`, { cause });
  }
}

/** gRPC puts the system's code into a text of its own. */
function refusalOf(thrown: unknown): string {
  const [code] = /\bE[A-Z]+\b/.exec(String(thrown)) ?? [];
  return REFUSALS[code ?? ""] ?? `failed: ${String(thrown)}`;
}
