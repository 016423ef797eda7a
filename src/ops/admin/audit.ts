/** What operators change, and whom nobody let in, as the audit is told of it. */
import { randomUUID } from "node:crypto";
import type { Context } from "koa";
import { decisionOf, type Asker, type Audit, type Subject } from "../../core/ports/audit.ts";
import { requestIdOf } from "../../transports/request.ts";
import { reasonOf } from "./failure.ts";

/** What is told of one request. */
export interface Told {
  readonly operation: string | undefined;
  /** Undefined for whoever is not let in. */
  readonly by: Asker | undefined;
  readonly subject: Subject;
  /** What was thrown; undefined where all went well. */
  readonly thrown?: unknown;
}

/** Writes down what came of a request. */
export function tell(
  audit: Audit | undefined,
  ctx: Context,
  { operation, by, subject, thrown }: Told,
) {
  if (audit === undefined) return;
  const reason = thrown === undefined ? undefined : reasonOf(thrown);
  audit.write({
    kind: "operator",
    requestId: requestIdOf(ctx.req.headers["x-request-id"], randomUUID),
    principal: by,
    address: ctx.req.socket.remoteAddress ?? "",
    operation,
    subject,
    decision: reason === undefined ? "allowed" : decisionOf(reason),
    reason,
  });
}

/** Whoever has the token of the operations port, or needs none. */
export const OPERATOR: Asker = { id: "", tenant: "", method: "operator" };
