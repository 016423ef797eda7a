/** What `check` looks at beside the YAML itself. */
import assert from "node:assert/strict";
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
