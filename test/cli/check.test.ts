/** What `check` looks at beside the YAML itself. */
import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { command, temporaryFile } from "./command.ts";

test("check names every file and secret that serve would stop at, each with its line", async (t) => {
  const file = await temporaryFile(
    t,
    "config.yaml",
    `push: { encryptionKeys: [abc], signing: { file: key.pem, kid: a }, ca: ca.pem }
ops: { token: { file: token } }
agents: { a: { name: A, description: "", static: {} } }
`,
  );
  const { code, stderr } = await command(["check", file]);
  assert.equal(code, 1);
  assert.deepEqual(
    stderr
      .trim()
      .split("\n")
      .map((line) => /:(\d+:\d+: [\w.[\]]+): .*/.exec(line)?.[1]),
    [
      "1:26: push.encryptionKeys[0]",
      "1:49: push.signing.file",
      "1:72: push.ca",
      "2:23: ops.token.file",
    ],
  );
});

const AGENT = 'agents: { a: { name: A, description: "", static: {} } }\n';

const stopped: readonly (readonly [what: string, settings: string, problem: string])[] = [
  [
    "no way to be let in",
    "access: { mode: required }",
    "1:1: access.authenticators: expected at least one where mode is not off",
  ],
  [
    "a key whose file is not there",
    "access: { mode: required, authenticators: [{ apiKey: { in: header, name: k, keys: [{ file: none.key, principal: { id: a } }] } }] }",
    "1:92: access.authenticators[0].apiKey.keys[0].file: ",
  ],
  [
    "a password that is not hashed",
    "access: { mode: required, authenticators: [{ basic: { users: [{ username: a, hash: secret }] } }] }",
    "1:84: access.authenticators[0].basic.users[0].hash: expected a hash such as ",
  ],
  [
    "an audit in a folder that is not there",
    "audit: { file: none/audit.log }",
    "1:16: audit.file: cannot be opened to append to: ",
  ],
];

for (const [what, settings, problem] of stopped)
  test(`check names ${what}, at which serve would stop`, async (t) => {
    const file = await temporaryFile(t, "config.yaml", `${settings}\n${AGENT}`);
    const { code, stderr } = await command(["check", file]);
    assert.equal(code, 1);
    assert.ok(stderr.includes(`config.yaml:${problem}`), stderr);
  });

test("check tells what may be a slip of the pen, with its line, and passes", async (t) => {
  const file = await temporaryFile(t, "config.yaml", `listen: 0.0.0.0:8080\n${AGENT}`);
  const { code, stdout } = await command(["check", file]);
  assert.equal(code, 0);
  const [warning = "", ok = ""] = stdout.split("\n");
  assert.match(warning, /config\.yaml:1:9: warning: access\.mode is off: .*: 0\.0\.0\.0$/);
  assert.match(ok, /config\.yaml: ok, 1 agent$/);
});

test("check makes no audit file", async (t) => {
  const file = await temporaryFile(t, "config.yaml", `audit: { file: audit.log }\n${AGENT}`);
  assert.equal((await command(["check", file])).code, 0);
  await assert.rejects(access(join(dirname(file), "audit.log")));
});
