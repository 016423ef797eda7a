/** Callers that are known by their certificates, on every door and at the Admin API. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { createAuthority, NO_OPENSSL, textsOf, type Authority } from "../support/certificates.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp, type HttpTls } from "../support/http-client.ts";
import { ScriptedHandler } from "../support/scripted-handler.ts";
import { accessDoors } from "./access-doors.ts";
import { asking } from "./access-asking.ts";
import type { Answer } from "./access-answers.ts";
import { DOOR_NAMES } from "./door-names.ts";

const PRINCIPALS = [
  { uri: "spiffe://acme/agent/one", id: "one", tenant: "acme" },
  { dns: "*.ops.example", tenant: "acme", scopes: ["admin"] },
];

/** Who calls, by the names in the certificate. */
const CALLERS = {
  one: ["/CN=x", "URI:spiffe://acme/agent/one"],
  operator: ["/CN=one", "DNS:Ann.ops.example"],
  nobody: ["/CN=one", "DNS:spiffe://acme/agent/one"],
} as const;

describe("with client certificates", { skip: NO_OPENSSL }, () => {
  let ours: Authority;
  let theirs: Authority;
  let ca: string;
  let server: { readonly cert: string; readonly key: string; readonly clientCa: string };
  const shown = new Map<string, HttpTls>();
  /** Who sent each message, as the agent was told. */
  const senders: string[] = [];
  const handler = new ScriptedHandler(async function* ({ principal: { id, tenant } }) {
    senders.push(`${tenant}/${id}`);
    yield { kind: "message", message: { parts: [{ text: "hi" }] } };
  });

  before(async () => {
    [ours, theirs] = await Promise.all([createAuthority(), createAuthority()]);
    ca = await readFile(ours.ca, "utf8");
    server = { ...(await ours.server()), clientCa: ours.ca };
    for (const [who, [subject, names]] of Object.entries(CALLERS))
      shown.set(who, { ca, ...(await textsOf(await ours.issue(who, subject, names))) });
    const [subject, names] = CALLERS.one;
    shown.set("forged", { ca, ...(await textsOf(await theirs.issue("forged", subject, names))) });
    shown.set("none", { ca });
  });
  after(() => Promise.all([ours.remove(), theirs.remove()]));

  const start = (settings: {
    readonly mode: "required" | "optional";
    readonly clientCertificates: "off" | "optional" | "required";
  }): Promise<RunningGateway> => {
    const { mode, clientCertificates } = settings;
    const tls = { ...server, clientCertificates };
    return runGateway({
      agents: { own: { handler } },
      settings: {
        tls,
        ops: { listen: "127.0.0.1:0", tls },
        access: {
          mode,
          authenticators: [{ mtls: { principals: PRINCIPALS } }],
          adminScope: "admin",
        },
      },
    });
  };

  /** What somebody is told who sends a message to a door. */
  const answerAt = async ({ port }: RunningGateway, name: string, who: string): Promise<Answer> => {
    const doors = accessDoors({ port, tls: tlsOf(who) }, "own", "/a2a/own");
    try {
      const [way] = doors.find((each) => each.name === name)?.ways.get("sendMessage") ?? [];
      assert.ok(way, name);
      return await way(asking(), {});
    } finally {
      for (const each of doors) each.close();
    }
  };
  const tlsOf = (who: string): HttpTls => shown.get(who) ?? assert.fail(who);

  describe("that callers may show", () => {
    let gateway: RunningGateway;
    before(async () => {
      gateway = await start({ mode: "required", clientCertificates: "optional" });
    });
    after(() => gateway.stop());

    for (const name of DOOR_NAMES) {
      test(`${name}: the agent is told whose certificate it is`, async () => {
        for (const [who, sender] of [
          ["one", "acme/one"],
          ["operator", "acme/ann.ops.example"],
        ] as const) {
          const { verdict, text } = await answerAt(gateway, name, who);
          assert.equal(verdict, "allowed", text);
          assert.equal(senders.at(-1), sender);
        }
      });

      for (const [who, why] of [
        ["none", "credentials are needed"],
        ["forged", "credentials are needed"],
        ["nobody", "the client certificate is nobody's that is known"],
      ] as const)
        test(`${name}: who shows ${who} is refused, and told what is asked for`, async () => {
          const before = senders.length;
          const { verdict, headers, text } = await answerAt(gateway, name, who);
          assert.equal(verdict, "unauthenticated", text);
          assert.ok(text.includes(why), text);
          assert.equal(headers["www-authenticate"], 'ClientCertificate realm="a2a-gateway"');
          assert.equal(senders.length, before);
        });
    }

    test("the Admin API lets in whose certificate has the scope", async () => {
      const port = Number(new URL(gateway.opsUrl).port);
      const statusFor = async (who: string): Promise<number> =>
        (await sendHttp(port, { path: "/admin/agents", tls: tlsOf(who) })).status;
      assert.equal(await statusFor("operator"), 200);
      assert.equal(await statusFor("one"), 403);
      for (const who of ["none", "forged", "nobody"]) assert.equal(await statusFor(who), 401, who);
    });
  });

  describe("that callers must show", () => {
    let gateway: RunningGateway;
    before(async () => {
      gateway = await start({ mode: "required", clientCertificates: "required" });
    });
    after(() => gateway.stop());

    for (const name of DOOR_NAMES)
      test(`${name}: nobody gets through the handshake without one of the authority`, async () => {
        assert.equal((await answerAt(gateway, name, "one")).verdict, "allowed");
        assert.equal((await answerAt(gateway, name, "nobody")).verdict, "unauthenticated");
        const before = senders.length;
        for (const who of ["none", "forged"])
          if (name.startsWith("gRPC"))
            assert.match((await answerAt(gateway, name, who)).verdict, /^other 14 /);
          else await assert.rejects(answerAt(gateway, name, who), { code: /^E/ });
        assert.equal(senders.length, before);
      });
  });

  describe("where credentials are optional", () => {
    let gateway: RunningGateway;
    before(async () => {
      gateway = await start({ mode: "optional", clientCertificates: "optional" });
    });
    after(() => gateway.stop());

    for (const name of DOOR_NAMES)
      test(`${name}: a certificate of another authority makes nobody of its holder`, async () => {
        for (const who of ["none", "forged"]) {
          const { verdict, text } = await answerAt(gateway, name, who);
          assert.equal(verdict, "allowed", text);
          assert.doesNotMatch(senders.at(-1) ?? "", /acme|one/);
        }
        assert.equal((await answerAt(gateway, name, "nobody")).verdict, "unauthenticated");
      });
  });
});
