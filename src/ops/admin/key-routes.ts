/** API keys: who has which, new ones, and their end. */
import type { ApiKeyControl } from "../../core/ports/api-key-store.ts";
import { AdminError } from "./failure.ts";
import { NO_BODY } from "./input.ts";
import { API_KEYS, ISSUED_KEY, issuedAnswer, keyAnswer } from "./key-answers.ts";
import { keyRequestBody } from "./key-request.ts";
import { textParameter } from "./parameter.ts";
import { ok, route, type Route } from "./route.ts";
import { NOTHING } from "./schema.ts";

export function keyRoutes(control: ApiKeyControl): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/admin/keys",
      operation: "listKeys",
      summary: "Every API key that was made here, oldest first, those included that have ended",
      answer: API_KEYS,
      statuses: { 200: "the keys" },
      run: async () => ok({ keys: (await control.list()).map(keyAnswer) }),
    }),
    route({
      method: "POST",
      path: "/admin/keys",
      operation: "createKey",
      summary: "Makes an API key, and tells it this once",
      body: keyRequestBody,
      about: ({ answer }) => (answer ? { key: answer.id, holder: holderOf(answer.principal) } : {}),
      answer: ISSUED_KEY,
      statuses: { 201: "the key" },
      failures: [409],
      async run({ body }) {
        const { unusable } = control;
        if (unusable !== undefined) throw new AdminError("CONFLICT", unusable);
        return { status: 201, body: issuedAnswer(await control.issue(body)) };
      },
    }),
    route({
      method: "DELETE",
      path: "/admin/keys/{id}",
      operation: "revokeKey",
      summary: "Ends an API key at once; one that has ended stays as it is",
      segments: { id: textParameter("the key's id") },
      about: ({ segments: { id } }) => ({ key: id }),
      body: NO_BODY,
      answer: NOTHING,
      statuses: { 204: "it opens nothing any more" },
      failures: [404],
      async run({ path: { id } }) {
        if (!(await control.revoke(id)))
          throw new AdminError("NOT_FOUND", `no api key ${JSON.stringify(id)}`);
        return { status: 204, body: undefined };
      },
    }),
  ];
}

function holderOf({
  id,
  tenant = "",
}: {
  readonly id: string;
  readonly tenant?: string | undefined;
}) {
  return { id, tenant };
}
