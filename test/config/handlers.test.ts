import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../src/config/errors.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { HandlerConfig } from "../../src/handlers/index.ts";

/** The handler of an agent that has only this; flow style YAML. */
function handlerOf(kind: string, written: string): HandlerConfig {
  const text = `agents: { a: { name: A, description: "", ${kind}: ${written} } }`;
  const { agents } = parseConfig(text, "c.yaml", {});
  return agents["a"]?.handler ?? assert.fail();
}

function problemOf(kind: string, written: string): string {
  try {
    handlerOf(kind, written);
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError, String(thrown));
    return thrown.problems
      .map(({ path, what }) => `${path.replace(/^agents\.a\.?/, "")}: ${what}`)
      .join("\n");
  }
  return assert.fail("accepted");
}

const GOOD: readonly (readonly [kind: string, written: string, config: object])[] = [
  ["exec", '"fortune | cowsay"', { command: "fortune | cowsay" }],
  ["exec", "[python3, agent.py]", { command: ["python3", "agent.py"] }],
  [
    "exec",
    "{ command: [x], mode: events, timeout: 2m, killGrace: 1s, maxOutput: 1MiB, maxLine: 1KiB, env: { A: b }, cwd: ., concurrency: 2, maxQueue: 0, stream: true, shell: false }",
    {
      command: ["x"],
      mode: "events",
      timeout: 120_000,
      killGrace: 1000,
      maxOutput: 1_048_576,
      maxLine: 1024,
      env: { A: "b" },
      cwd: ".",
      concurrency: 2,
      maxQueue: 0,
      stream: true,
      shell: false,
    },
  ],
  ["module", "./agent.ts", { path: "./agent.ts" }],
  ["module", "{ path: ./a.js, export: weather }", { path: "./a.js", export: "weather" }],
  ["http", "https://agent.internal/turn", { url: "https://agent.internal/turn" }],
  [
    "http",
    '{ url: "http://h", headers: { Authorization: x }, cancelUrl: "http://h/c", connectTimeout: 1s, headTimeout: 0, idleTimeout: 30s, timeout: 1m, maxAnswer: 1KB, maxEvent: 1B }',
    {
      url: "http://h",
      headers: { authorization: "x" },
      cancelUrl: "http://h/c",
      connectTimeout: 1000,
      headTimeout: 0,
      idleTimeout: 30_000,
      timeout: 60_000,
      maxAnswer: 1000,
      maxEvent: 1,
    },
  ],
  ["static", "{}", {}],
  [
    "static",
    "{ rules: [{ when: { regex: '^a', flags: i, taskState: none }, message: hi }], otherwise: { script: [{ status: working, message: { text: t } }, { delay: 1s }, { artifact: { id: x, chunks: [a, { data: null }], chunkDelay: 5ms, append: true } }, { fail: why }] } }",
    {
      rules: [{ when: { regex: "^a", flags: "i", taskState: "none" }, message: "hi" }],
      otherwise: {
        script: [
          { status: "working", message: { text: "t" } },
          { delay: 1000 },
          { artifact: { id: "x", chunks: ["a", { data: null }], chunkDelay: 5, append: true } },
          { fail: "why" },
        ],
      },
    },
  ],
];

for (const [kind, written, config] of GOOD)
  test(`${kind} may be written ${written}`, () => {
    assert.deepEqual(handlerOf(kind, written), { kind, ...config });
  });

const BAD: readonly (readonly [kind: string, written: string, problem: string])[] = [
  ["exec", "[]", "exec: expected a program and its arguments, got an empty list"],
  [
    "exec",
    "{ cmd: x }",
    "exec: expected a command line, a list of words, or a mapping with command, got a mapping of cmd",
  ],
  [
    "exec",
    "{ command: x, killGrace: 0 }",
    "exec.killGrace: expected a duration such as 30s, longer than 0 and at most 24d, got 0",
  ],
  ["http", "ftp://x", 'http: expected an http or https URL, got "ftp://x"'],
  [
    "http",
    "{ url: 'http://h', headers: { 'a b': c } }",
    'http.headers.a b: expected a header name, got "a b"',
  ],
  ["module", "{}", "module: expected a path, or a mapping with path, got a mapping without keys"],
  [
    "static",
    "{ otherwise: {} }",
    "static.otherwise: expected exactly one of message, script, got a mapping without keys",
  ],
  [
    "static",
    "{ otherwise: { message: hi, script: [{ fail: x }] } }",
    "static.otherwise: expected exactly one of message, script, got a mapping of message, script",
  ],
  [
    "static",
    "{ rules: [{ when: { regex: '(' }, message: hi }] }",
    'static.rules[0].when.regex: expected a regular expression of JavaScript, got "("',
  ],
  ["static", "{ rules: [{ message: hi }] }", "static.rules[0].when: missing, expected a mapping"],
  [
    "static",
    "{ otherwise: { script: [{ statu: working }] } }",
    "static.otherwise.script[0]: expected a step with status, artifact, delay, error or fail, got a mapping of statu",
  ],
  [
    "static",
    "{ otherwise: { script: [{ error: { name: oops, message: x } }] } }",
    'static.otherwise.script[0].error.name: expected one of task_not_found, task_not_cancelable, unsupported_operation, content_type_not_supported, invalid_params, got "oops"',
  ],
  [
    "static",
    "{ otherwise: { script: [{ artifact: { name: x } }] } }",
    "static.otherwise.script[0].artifact: expected either text, file, data, parts, or chunks, got a mapping of name",
  ],
  [
    "static",
    "{ otherwise: { script: [{ artifact: { text: x, append: true } }] } }",
    "static.otherwise.script[0].artifact: expected id, which append needs, got a mapping of text, append",
  ],
  [
    "static",
    "{ otherwise: { message: { file: { base64: '*' } } } }",
    'static.otherwise.message.file.base64: expected standard base64, got "*"',
  ],
  [
    "static",
    "{ otherwise: { message: { parts: [{ text: a, data: 1 }] } } }",
    "static.otherwise.message.parts[0]: expected exactly one of text, file, data, got a mapping of text, data",
  ],
];

for (const [kind, written, problem] of BAD)
  test(`${kind} may not be written ${written}`, () => {
    assert.equal(problemOf(kind, written), problem);
  });
