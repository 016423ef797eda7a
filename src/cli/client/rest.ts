/** The HTTP+JSON binding (spec 11). */
import type { Door, DoorInput, CallOptions } from "./door.ts";
import { exchange, headersOf, jsonOf } from "./http.ts";
import { OPERATIONS, type CallName } from "./operations.ts";
import { member, reasonOf, RemoteError, textMember } from "./remote-error.ts";

export function restDoor(input: DoorInput): Door {
  const open = (operation: CallName, request: object, options: CallOptions) =>
    exchange({
      ...targetOf(operation, request, input),
      verb: OPERATIONS[operation].verb,
      headers: headersOf(input, options),
      timeoutMs: options.timeoutMs,
      tls: input.tls,
    });
  return {
    async call(operation, request) {
      const answer = await open(operation, request, { timeoutMs: input.timeoutMs });
      if (answer.kind === "events") throw new RemoteError("a stream instead of an answer");
      if (answer.status >= 400) throw errorOf(answer.body, answer.status);
      return answer.body;
    },
    async *stream(operation, request, options) {
      const answer = await open(operation, request, options);
      if (answer.kind === "json")
        throw answer.status >= 400
          ? errorOf(answer.body, answer.status)
          : new RemoteError("an answer instead of a stream");
      for await (const data of answer.events) yield eventOf(jsonOf(data));
    },
    close: () => {},
  };
}

/** The id goes into the path; what else there is into the query of a GET and the body of a POST. */
function targetOf(
  operation: CallName,
  request: object,
  { interface: { url, tenant } }: DoorInput,
): { readonly url: string; readonly body?: object } {
  const { verb, path } = OPERATIONS[operation];
  const id = path.includes("{id}") ? String(member(request, "id")) : undefined;
  const rest = Object.entries(request).filter(([name]) => name !== "id" || id === undefined);
  const segment = tenant === undefined || tenant === "" ? "" : `/${encodeURIComponent(tenant)}`;
  const target = `${url.replace(/\/+$/, "")}${segment}${path.replace("{id}", encodeURIComponent(id ?? ""))}`;
  if (verb === "POST") return { url: target, body: Object.fromEntries(rest) };
  const query = new URLSearchParams(
    Object.fromEntries(rest.map(([name, value]) => [name, String(value)])),
  );
  return { url: query.size > 0 ? `${target}?${query.toString()}` : target };
}

function eventOf(event: unknown): unknown {
  if (member(event, "error") !== undefined) throw errorOf(event, undefined);
  return event;
}

function errorOf(body: unknown, status: number | undefined): RemoteError {
  const error = member(body, "error");
  const code = member(error, "code") ?? status;
  return new RemoteError(textMember(error, "message") ?? `HTTP ${String(status)}`, {
    ...(typeof code === "number" && { code }),
    reason: reasonOf(member(error, "details")),
  });
}
