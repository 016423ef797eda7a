/** The count of connections, put together: its limits, and who may have more of them. */
import type { Config } from "./config/config.ts";
import type { Log } from "./core/ports/log.ts";
import { clientAddresses } from "./transports/client-address.ts";
import { createConnections, type Connections } from "./transports/connections.ts";

export function connectionsOf(
  { limits, trustedProxies }: Pick<Config, "limits" | "trustedProxies">,
  log: Log,
): Connections {
  const { isProxy } = clientAddresses(trustedProxies);
  return createConnections({ limits: limits.connections, isProxy, log });
}
