import { isIP } from "node:net";

/** Whether only this machine reaches what listens there. A name is no address, whatever it begins with. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "localhost" || host === "::1";
}
