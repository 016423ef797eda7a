/** An answer whose status is not 2xx. */
import { A2AError } from "../../../protocol/errors.ts";
import type { HttpExchange } from "./http-binding.ts";
import { isJson, textOf } from "./http-body.ts";
import type { HttpAnswer } from "./http-connection.ts";
import { PeerFailure } from "./peer-failure.ts";
import { statusFailure } from "./status-failure.ts";

const MAX_BYTES = 64 * 1024;

/** The agent's own error, or a PeerFailure where it cannot be used as it is. */
export async function refusalOf(
  answer: HttpAnswer,
  exchange: HttpExchange<unknown>,
): Promise<A2AError | PeerFailure> {
  const { status, retryAfter } = answer;
  if (status >= 300 && status < 400) return wrongStatus(status, "which is not followed");
  const json = await jsonIn(answer);
  const error = exchange.errorOf(status, json);
  const details = { status, said: `HTTP ${status}`, retryAfter, cause: error };
  return (
    statusFailure(details, json === undefined) ??
    error ??
    wrongStatus(status, "without an error that can be read")
  );
}

function wrongStatus(status: number, how: string): A2AError {
  return new A2AError("INVALID_AGENT_RESPONSE", `the agent answered with HTTP ${status}, ${how}`);
}

/** Undefined for a body that is no JSON, or too long to be an error. */
async function jsonIn({ contentType, body }: HttpAnswer): Promise<unknown> {
  if (!isJson(contentType)) return undefined;
  try {
    return JSON.parse(await textOf(body, MAX_BYTES));
  } catch (thrown) {
    if (PeerFailure.is(thrown)) throw thrown;
    return undefined;
  }
}
