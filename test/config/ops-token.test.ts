import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Config } from "../../src/config/config.ts";
import { ConfigError } from "../../src/config/errors.ts";
import { parseConfig } from "../../src/config/load.ts";
import { opsTokenOf } from "../../src/config/ops-token.ts";

function configOf(token: unknown, folder = "/"): Config {
  const agents = { one: { name: "One", description: "", static: {} } };
  const written = { ops: { token }, agents };
  return parseConfig(JSON.stringify(written), join(folder, "config.yaml"), {});
}

const WHAT = "a token is one line of visible ASCII characters, without spaces";

for (const token of ["a b", "", " a", "a\nb", "t\u00f6ken", "a\u007f"])
  test(`a token that no caller can give is refused: ${JSON.stringify(token)}`, async () => {
    assert.throws(
      () => configOf(token),
      (thrown) => {
        assert.ok(thrown instanceof ConfigError);
        const problems = thrown.problems.map(({ path, what }) => ({ path, what }));
        assert.deepEqual(problems, [{ path: "ops.token", what: WHAT }]);
        return true;
      },
    );
  });

test("a token may have every other character", async () => {
  assert.equal(await opsTokenOf(configOf("a-Z_0.9~+/=!")), "a-Z_0.9~+/=!");
});

test("a token in a file is read without the space around it, and refused for what is within", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "a2a-token-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "token");
  const config = configOf({ file: "token" }, folder);
  await writeFile(file, " s3cret\n");
  assert.equal(await opsTokenOf(config), "s3cret");
  for (const text of ["s3 cret", "one\ntwo\n"]) {
    await writeFile(file, text);
    await assert.rejects(opsTokenOf(config), (thrown) => {
      assert.ok(thrown instanceof ConfigError);
      assert.match(thrown.message, /config\.yaml:1:\d+: ops\.token\.file: a token is one line/);
      assert.doesNotMatch(thrown.message, /cret|two/);
      return true;
    });
  }
});
