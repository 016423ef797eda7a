/** The protocol versions in which the gateway calls agents. */
import type { ClientDialect } from "./client.ts";
import { v0_3Client } from "./v0_3/client/dialect.ts";
import { v1Client } from "./v1/client/dialect.ts";
import { majorMinorOf } from "./version.ts";

/** Newest first. */
export const clientDialects: readonly ClientDialect[] = [v1Client, v0_3Client];

/**
 * The dialect of an interface by the `protocolVersion` in a card: the patch number is ignored, and what names no version
 * is of 0.3 (spec 3.6.2). Undefined for versions that the gateway does not speak.
 */
export function clientDialectOf(protocolVersion: string): ClientDialect | undefined {
  const version = protocolVersion.trim() === "" ? "0.3" : majorMinorOf(protocolVersion);
  return clientDialects.find((dialect) => dialect.version === version);
}
