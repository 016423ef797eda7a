/** The command line over TLS: a server, and clients that trust its authority. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { command, serve } from "../cli/command.ts";
import { createAuthority, NO_OPENSSL, type Authority } from "../support/certificates.ts";

describe("the command line over TLS", { skip: NO_OPENSSL }, () => {
  let authority: Authority;
  before(async () => {
    authority = await createAuthority();
    await authority.server();
    await authority.issue("caller", "/CN=caller", "DNS:caller");
  });
  after(() => authority.remove());

  const configured = async (tls: string): Promise<string> => {
    const file = join(authority.folder, "config.yaml");
    await writeFile(
      file,
      `listen: 127.0.0.1:0
database: ":memory:"
tls: ${tls}
ops: { tls: { cert: server.pem, key: server.key } }
agents:
  one: { name: One, description: "", static: { otherwise: { message: "{{text}}" } } }
`,
    );
    return file;
  };

  test("serves https, and calls it with the certificates that it is given", async (t) => {
    const tls = "{ cert: server.pem, key: server.key, clientCa: ca.pem }";
    const { url, ready } = await serve(t, [await configured(tls)]);
    assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const ops = String(ready["ops"]);
    assert.match(ops, /^https:\/\/127\.0\.0\.1:\d+$/);
    const trust = ["--ca", authority.ca];
    const own = ["caller.pem", "caller.key"].map((file) => join(authority.folder, file));
    const shown = [...trust, "--cert", own[0] ?? "", "--cert-key", own[1] ?? ""];
    for (const binding of ["jsonrpc", "rest", "grpc"]) {
      const { stdout, code } = await command(["send", url, "hi", "--binding", binding, ...shown]);
      assert.match(stdout, /^hi$/m);
      assert.equal(code, 0);
    }
    const unknown = await command(["send", url, "hi", ...trust]);
    assert.equal(unknown.code, 1);
    const agents = await command(["agents", "list", "--admin", ops, ...trust]);
    assert.match(agents.stdout, /^one /m);
    const untrusting = await command(["agents", "list", "--admin", ops]);
    assert.match(untrusting.stderr, /no answer from https:.*certificate/);
  });

  test("check looks at the certificates", async () => {
    const wrong = await configured("{ cert: server.pem, key: caller.key }");
    const { code, stderr } = await command(["check", wrong]);
    assert.equal(code, 1);
    assert.match(stderr, /config\.yaml:3:31: tls\.key: expected the private key of cert/);
  });

  test("a certificate needs its key, and files must be what they should", async () => {
    const half = await command(["send", "https://127.0.0.1:1", "hi", "--cert", authority.ca]);
    assert.equal(half.code, 2);
    assert.match(half.stderr, /--cert and --cert-key need each other/);
    const none = await command(["send", "https://127.0.0.1:1", "hi", "--ca", "none.pem"]);
    assert.match(none.stderr, /none\.pem: no such file/);
  });
});
