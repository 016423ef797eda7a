import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { command, temporaryFile, temporaryFolder } from "./command.ts";

const GOOD = `agents:
  a: { name: A, description: "", static: { otherwise: { message: "{{text}}" } } }
  b: { name: B, description: "", exec: cat }
`;

test("help lists the commands and is no error", async () => {
  const { code, stdout } = await command(["--help"]);
  assert.equal(code, 0);
  for (const name of [
    "serve",
    "migrate",
    "check",
    "card",
    "send",
    "tasks",
    "agents",
    "admin",
    "deliveries",
  ])
    assert.match(stdout, new RegExp(`^  ${name}\\b`, "m"));
});

test("help says what options hold by default", async () => {
  const { stdout } = await command(["tasks", "watch", "--help"]);
  assert.match(stdout, /repeated\s+\(default: none\)/);
  assert.match(stdout, /any\s+\(default: 60s\)/);
  assert.doesNotMatch(stdout, /\{\}/);
});

test("version tells the package's", async () => {
  assert.match((await command(["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
});

const WRONG: readonly (readonly [title: string, args: readonly string[], message: RegExp])[] = [
  ["an unknown command", ["frobnicate"], /unknown command 'frobnicate'/],
  ["a missing argument", ["send"], /missing required argument 'url'/],
  ["an address that is no URL", ["card", "localhost"], /expected an http or https URL/],
  ["an unknown binding", ["send", "http://h", "x", "--binding", "soap"], /jsonrpc, rest, grpc/],
  [
    "an unknown state",
    ["tasks", "list", "http://h", "--state", "bored"],
    /expected one of submitted/,
  ],
  ["a header without a colon", ["card", "http://h", "--header", "x"], /expected a header such as/],
  ["a port out of range", ["serve", "--port", "70000"], /expected a port from 0 to 65535/],
  ["a mode without a program", ["serve", "--mode", "events"], /--mode needs --exec/],
  [
    "options that a file has already",
    ["serve", "c.yaml", "--name", "x"],
    /--name describes an agent/,
  ],
];

for (const [title, args, message] of WRONG)
  test(`${title} is wrong usage, exit code 2`, async () => {
    const { code, stdout, stderr } = await command(args);
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.equal(stdout, "");
  });

test("check says that a file is good", async (t) => {
  const file = await temporaryFile(t, "config.yaml", GOOD);
  assert.deepEqual(await command(["check", file]), {
    code: 0,
    stdout: `${file}: ok, 2 agents\n`,
    stderr: "",
  });
});

test("check names what is wrong and exits with 1", async (t) => {
  const file = await temporaryFile(t, "config.yaml", GOOD.replace("name: B", "nam: B"));
  const { code, stdout, stderr } = await command(["check", file]);
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.deepEqual(stderr.split("\n"), [
    `${file}:3:3: agents.b.name: missing, expected text`,
    `${file}:3:8: agents.b.nam: unknown key, did you mean "name"?`,
    "",
  ]);
});

test("check names what only the handlers can tell", async (t) => {
  const text = GOOD.replace("{{text}}", "{{txt}}").replace("exec: cat", "module: ./none.js");
  const file = await temporaryFile(t, "config.yaml", text);
  const { code, stderr } = await command(["check", file]);
  assert.equal(code, 1);
  assert.deepEqual(stderr.split("\n"), [
    `${file}:2:66: agents.a.static.otherwise.message: no variable "txt"`,
    `${file}:3:34: agents.b.module: no module ./none.js`,
    "",
  ]);
});

test("check names the file of a key that is not there, with its whole path", async (t) => {
  const text = `cards: { signing: [{ file: none.pem, kid: k }] }\n${GOOD}`;
  const file = await temporaryFile(t, "config.yaml", text);
  assert.deepEqual(await command(["check", file]), {
    code: 1,
    stdout: "",
    stderr: `${file}:1:28: cards.signing[0].file: ${join(dirname(file), "none.pem")}: no such file\n`,
  });
});

test("check names what is wrong with handlers beside other faults, of the same agent too", async (t) => {
  const text = GOOD.replace("{{text}}", "{{txt}}").replace("  a: { name: A", "  A: { nam: A");
  const file = await temporaryFile(t, "config.yaml", text.replace("exec: cat", "exec: []"));
  const { stderr } = await command(["check", file]);
  assert.deepEqual(
    stderr.split("\n").map((line) => line.replace(/^.*?:(\d+):\d+: ([\w.]+): .*/, "$1 $2")),
    [
      "2 agents.A.name",
      "2 agents.A",
      "2 agents.A.nam",
      "2 agents.A.static.otherwise.message",
      "3 agents.b.exec",
      "",
    ],
  );
});

test("migrate makes the database and finds nothing to do the second time", async (t) => {
  const folder = await temporaryFolder(t);
  const first = await command(["migrate"], folder);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^applied .+\n/);
  await access(join(folder, "a2a-gateway.db"));

  const second = await command(["migrate"], folder);
  assert.equal(second.stdout, `${join(folder, "a2a-gateway.db")}: up to date\n`);
});
