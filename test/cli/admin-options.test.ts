import assert from "node:assert/strict";
import { test } from "node:test";
import { adminApi, type AdminApi } from "./admin-api.ts";
import { command, temporaryFile } from "./command.ts";

const LIST = ["agents", "list"];
const EMPTY = { "GET /admin/agents": { body: { agents: [] } } };

function sentBy({ asked }: AdminApi): string | undefined {
  return asked[0]?.headers.authorization;
}

test("an option names the gateway in place of the environment", async (t) => {
  const api = await adminApi(t, EMPTY);
  const env = { A2A_GATEWAY_ADMIN: "http://elsewhere.invalid" };
  const { code, stdout } = await api.run([...LIST, "--admin", `${api.url}/`], env);
  assert.deepEqual([code, stdout], [0, "none\n"]);
});

test("a gateway may be below a path", async (t) => {
  const api = await adminApi(t, { "GET /ops/admin/agents": { body: { agents: [] } } });
  assert.equal((await api.run([...LIST, "--admin", `${api.url}/ops`])).code, 0);
});

test("the token comes from the environment", async (t) => {
  const api = await adminApi(t, EMPTY);
  await api.run(LIST, { A2A_GATEWAY_ADMIN_TOKEN: "from-env" });
  assert.equal(sentBy(api), "Bearer from-env");
});

test("a token in a file wins, without what stands around it", async (t) => {
  const api = await adminApi(t, EMPTY);
  const file = await temporaryFile(t, "token", " from-file\n");
  await api.run([...LIST, "--token-file", file], { A2A_GATEWAY_ADMIN_TOKEN: "from-env" });
  assert.equal(sentBy(api), "Bearer from-file");
});

test("a token as an option wins, and headers go along", async (t) => {
  const api = await adminApi(t, EMPTY);
  const args = [...LIST, "--token", "given", "--header", "x-proxy: 1"];
  await api.run(args, { A2A_GATEWAY_ADMIN_TOKEN: "from-env" });
  assert.equal(sentBy(api), "Bearer given");
  assert.equal(api.asked[0]?.headers["x-proxy"], "1");
});

test("empty variables are as if they were not set", async (t) => {
  const api = await adminApi(t, EMPTY);
  const env = { A2A_GATEWAY_ADMIN: "", A2A_GATEWAY_ADMIN_TOKEN: "" };
  assert.equal((await api.run([...LIST, "--admin", api.url], env)).code, 0);
  assert.equal(sentBy(api), undefined);
});

const WRONG: readonly (readonly [
  string,
  readonly string[],
  Readonly<Record<string, string>>,
  RegExp,
])[] = [
  ["an address that is none", ["--admin", "127.0.0.1:9090"], {}, /expected an http or https URL/],
  ["an address with a user", ["--admin", "http://a:b@h"], {}, /expected an http or https URL/],
  [
    "a variable that is no address",
    [],
    { A2A_GATEWAY_ADMIN: "ops" },
    /^A2A_GATEWAY_ADMIN: expected an http or https URL/,
  ],
  ["two tokens", ["--token", "a", "--token-file", "b"], {}, /two tokens/],
  ["no token in the option", ["--token", ""], {}, /^--token: expected a token/],
  ["a limit out of range", ["--limit", "201"], {}, /expected a whole number from 1 to 200/],
];

for (const [title, args, env, message] of WRONG)
  test(`${title} is wrong usage`, async () => {
    const { code, stdout, stderr } = await command(["admin", "tasks", ...args], undefined, env);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
  });

test("a token that no header can carry is refused without being shown", async (t) => {
  const file = await temporaryFile(t, "token", "sec\nret");
  const { code, stderr } = await command([...LIST, "--token-file", file]);
  assert.equal(code, 2);
  assert.equal(stderr, `${file}: expected a token of printable ASCII characters\n`);
});
