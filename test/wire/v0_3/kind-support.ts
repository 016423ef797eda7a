/** JSON-RPC 0.3 as a client sees it: what a codec encoded, after it went over the wire. */
import { textOf } from "../../../src/protocol/ready-made.ts";

export function sent(wire: unknown): unknown {
  return JSON.parse(textOf(wire));
}
