import { variableOf } from "./environment.ts";
import type { Address } from "./units.ts";

const REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use",
  EADDRNOTAVAIL: "is no address of this machine",
  EACCES: "may not be used",
  ENOTFOUND: "is not known",
};

/** Opens a door at a configured address. When that is not to be had, the error names the setting. */
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
    throw new Error(`listen ${authority} ${refusalOf(cause)} (${named})`, { cause });
  }
}

/** gRPC puts the system's code into a text of its own. */
function refusalOf(thrown: unknown): string {
  const [code] = /\bE[A-Z]+\b/.exec(String(thrown)) ?? [];
  return REFUSALS[code ?? ""] ?? `failed: ${String(thrown)}`;
}
