/** The JSON-RPC binding (spec 9). */
import { withTenant, type Door, type DoorInput, type CallOptions } from "./door.ts";
import { exchange, headersOf, jsonOf, type HttpAnswer } from "./http.ts";
import { OPERATIONS, type CallName } from "./operations.ts";
import { member, reasonOf, RemoteError, textMember } from "./remote-error.ts";

export function jsonRpcDoor(input: DoorInput): Door {
  let lastId = 0;
  const post = (operation: CallName, request: object, options: CallOptions) =>
    exchange({
      url: input.interface.url,
      verb: "POST",
      headers: headersOf(input, options),
      timeoutMs: options.timeoutMs,
      tls: input.tls,
      body: {
        jsonrpc: "2.0",
        id: ++lastId,
        method: OPERATIONS[operation].method,
        params: withTenant(request, input),
      },
    });
  return {
    async call(operation, request) {
      return onlyResult(await post(operation, request, { timeoutMs: input.timeoutMs }));
    },
    async *stream(operation, request, options) {
      const answer = await post(operation, request, options);
      if (answer.kind === "json") yield resultOf(answer.body);
      else for await (const data of answer.events) yield resultOf(jsonOf(data));
    },
    close: () => {},
  };
}

function onlyResult(answer: HttpAnswer): unknown {
  if (answer.kind === "events") throw new RemoteError("a stream instead of an answer");
  return resultOf(answer.body);
}

function resultOf(envelope: unknown): unknown {
  const error = member(envelope, "error");
  if (error !== undefined && error !== null) throw errorOf(error);
  const result = member(envelope, "result");
  if (result === undefined) throw new RemoteError("an answer with neither result nor error");
  return result;
}

function errorOf(error: unknown): RemoteError {
  const code = member(error, "code");
  const reason = reasonOf(member(error, "data"));
  return new RemoteError(textMember(error, "message") ?? "no message", {
    ...(typeof code === "number" && { code }),
    reason,
  });
}
