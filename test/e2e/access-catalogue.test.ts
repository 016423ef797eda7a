/** The catalogue where callers are asked who they are. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendHttp, type HttpAnswer } from "../support/http-client.ts";
import type { Headers } from "./access-doors.ts";
import { accessStage, type AccessStage, type Caller } from "./access-stage.ts";

const POLICIES = [
  { who: { principals: ["stranger"], tenants: [""] }, agents: ["own", "gone"], effect: "deny" },
  {
    who: { principals: ["stranger"], tenants: [""] },
    agents: ["team"],
    operations: ["read", "cancel", "push"],
    effect: "deny",
  },
  { who: { anonymous: true }, agents: ["own", "team"], effect: "deny" },
];

for (const mode of ["required", "optional"] as const)
  describe(`where credentials are ${mode}`, () => {
    let stage: AccessStage;
    before(async () => {
      stage = await accessStage({ mode, policies: POLICIES });
    });
    after(() => stage.stop());

    const get = (headers: Headers, path = "/a2a"): Promise<HttpAnswer> =>
      sendHttp(stage.gateway.port, { path, headers });

    for (const [who, agents] of [
      ["alice", ["open", "own", "team"]],
      ["stranger", ["open", "team"]],
    ] as const satisfies readonly (readonly [Caller, readonly string[]])[])
      test(`${who} sees ${agents.join(" and ")}, page by page too`, async () => {
        assert.deepEqual(idsIn(await get(stage.headersOf(who))), agents);
        const first = await get(stage.headersOf(who), "/a2a?pageSize=1");
        assert.deepEqual(idsIn(first), agents.slice(0, 1));
        const { nextPageToken } = JSON.parse(first.text) as { readonly nextPageToken: string };
        const path = `/a2a?pageSize=5&pageToken=${nextPageToken}`;
        const second = await get(stage.headersOf(who), path);
        assert.deepEqual(idsIn(second), agents.slice(1));
        assert.ok(!second.text.includes("nextPageToken"));
      });

    test("what one caller is shown is kept by no cache", async () => {
      const { headers } = await get(stage.headersOf("stranger"));
      assert.equal(headers["cache-control"], "private, no-store");
      assert.match(String(headers["vary"]), /\bAuthorization\b/);
      const again = await get({
        ...stage.headersOf("stranger"),
        "if-none-match": String(headers["etag"]),
      });
      assert.equal(again.status, 304);
      assert.equal(again.headers["cache-control"], "private, no-store");
      const other = await get({
        ...stage.headersOf("alice"),
        "if-none-match": String(headers["etag"]),
      });
      assert.equal(other.status, 200);
    });

    test("credentials that are not good are refused, in the error form of HTTP+JSON", async () => {
      const { status, headers, text } = await get(await stage.token({ aud: "elsewhere" }));
      assert.equal(status, 401);
      assert.match(String(headers["www-authenticate"]), /ApiKey.*Bearer.*invalid_token/);
      const { error } = JSON.parse(text) as { readonly error: { readonly status: string } };
      assert.equal(error.status, "UNAUTHENTICATED");
    });

    if (mode === "required")
      test("a caller without credentials is refused, with a challenge", async () => {
        const { status, headers, text } = await get({});
        assert.equal(status, 401);
        assert.match(String(headers["www-authenticate"]), /ApiKey.*Bearer/);
        assert.doesNotMatch(text, /own|team|open/);
      });
    else
      test("a caller without credentials sees what anonymous callers may use", async () => {
        assert.deepEqual(idsIn(await get({})), ["open"]);
      });

    test("cards stay open to everybody at their well-known addresses", async () => {
      for (const agent of ["own", "team", "open"]) {
        const { status, headers } = await get({}, `/a2a/${agent}/.well-known/agent-card.json`);
        assert.equal(status, 200);
        assert.match(String(headers["cache-control"]), /^public/);
      }
    });

    test("an agent that a policy names and nobody has is warned of", () => {
      const [warned, ...others] = stage.gateway.log.lines.filter(({ level }) => level === "warn");
      assert.equal(warned?.message, "a policy names an agent that is not configured");
      assert.equal(warned.fields["about"], "gone");
      assert.deepEqual(others, []);
    });
  });

function idsIn({ status, text }: HttpAnswer): readonly string[] {
  assert.equal(status, 200, text);
  const { agents } = JSON.parse(text) as { readonly agents: readonly { readonly id: string }[] };
  return agents.map(({ id }) => id);
}
