/** The headers of a delivery (spec 4.3.3; spec 0.3, 9.5). */
import { createHash, randomBytes } from "node:crypto";
import type { Delivery, PushConfig } from "../core/ports/push-store.ts";

export type HeaderFields = Record<string, string>;

/** Says which event is told to which config: the same at every try, and never for another. */
export function deliveryIdOf({ taskId, id }: PushConfig, { generation }: Delivery): string {
  return `${taskId}.${generation}.${encodeURIComponent(id)}`;
}

/** The number of the try that is about to be made, from 1. */
export function attemptOf({ attempts }: Delivery): number {
  return attempts + 1;
}

/** What goes along with every try; the body has its own. */
export function headersOf(config: PushConfig, delivery: Delivery): HeaderFields {
  const { token = "", authentication, version } = config;
  const { scheme = "", credentials = "" } = authentication ?? {};
  const deliveryId = deliveryIdOf(config, delivery);
  const headers: HeaderFields = {
    "User-Agent": "a2a-gateway",
    "A2A-Version": version,
    "A2A-Delivery-Id": deliveryId,
    "A2A-Delivery-Attempt": String(attemptOf(delivery)),
    traceparent: traceparentOf(deliveryId),
  };
  if (scheme !== "" && credentials !== "") headers["Authorization"] = `${scheme} ${credentials}`;
  if (token !== "") {
    headers["X-A2A-Notification-Token"] = token;
    headers["A2A-Notification-Token"] = token;
  }
  return headers;
}

/**
 * Each delivery is a trace of its own, and each try a span of it; nothing is kept of them, so that the trace is made
 * from what identifies the delivery. It is not recorded here (flags 00).
 */
function traceparentOf(deliveryId: string): string {
  const trace = createHash("sha256").update(deliveryId).digest("hex").slice(0, 32);
  return `00-${trace}-${randomBytes(8).toString("hex")}-00`;
}
