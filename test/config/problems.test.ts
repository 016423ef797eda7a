import assert from "node:assert/strict";
import { test } from "node:test";
import type { Environment } from "../../src/config/environment.ts";
import { ConfigError } from "../../src/config/errors.ts";
import { parseConfig } from "../../src/config/load.ts";

const ECHO = 'agents:\n  echo: { name: Echo, description: "", static: {} }\n';

function problemsOf(text: string, env: Environment = {}): readonly string[] {
  try {
    parseConfig(text, "config.yaml", env);
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError, String(thrown));
    return thrown.message.split("\n");
  }
  return [];
}

test("every problem is named at once, in the order of lines, with line, column and path", () => {
  const text = `listen: nowhere
agents:
  echo:
    name: Echo
    exec:
      command: [cat]
      timeout: soon
      mode: event
limits: { pageSize: 1000 }
`;
  assert.deepEqual(problemsOf(text), [
    'config.yaml:1:9: listen: expected an address such as 127.0.0.1:8080, got "nowhere"',
    "config.yaml:3:3: agents.echo.description: missing, expected text",
    'config.yaml:7:16: agents.echo.exec.timeout: expected a duration such as 30s, at most 24d, got "soon"',
    'config.yaml:8:13: agents.echo.exec.mode: expected one of plain, events, got "event"',
    "config.yaml:9:21: limits.pageSize: expected a whole number from 1 to 100, got 1000",
  ]);
});

const ONE_LINERS: readonly (readonly [title: string, text: string, problem: string])[] = [
  [
    "a time that no timer can wait for is refused",
    'agents:\n  a: { name: A, description: "", turnTimeout: 30d, exec: x }\n',
    'config.yaml:2:47: agents.a.turnTimeout: expected a duration such as 30s, at most 24d, got "30d"',
  ],
  [
    "an unknown key is named with the one that was probably meant",
    `lisen: 127.0.0.1:1\n${ECHO}`,
    'config.yaml:1:1: lisen: unknown key, did you mean "listen"?',
  ],
  [
    "swapped letters are recognised",
    `limits: { pagesiez: 3 }\n${ECHO}`,
    'config.yaml:1:11: limits.pagesiez: unknown key, did you mean "pageSize"?',
  ],
  [
    "a limit that is no number is refused",
    `limits: { turns: { running: many } }\n${ECHO}`,
    'config.yaml:1:29: limits.turns.running: expected a whole number of at least 1, or off, got "many"',
  ],
  [
    "an agent's limits are checked like those of all",
    'agents:\n  a: { name: A, description: "", turns: { wait: 0 }, exec: x }\n',
    "config.yaml:2:49: agents.a.turns.wait: expected a duration such as 30s, longer than 0 and at most 24d, got 0",
  ],
  [
    "a request may take at least as long as its head",
    `limits: { connections: { requestTimeout: 1s } }\n${ECHO}`,
    'config.yaml:1:42: limits.connections.requestTimeout: expected at least headTimeout, got "1s"',
  ],
  [
    "an unknown key like no other is told the known ones",
    `sse: { volume: 3 }\n${ECHO}`,
    "config.yaml:1:8: sse.volume: unknown key, expected one of heartbeat",
  ],
  [
    "an unknown key inside a handler is found",
    'agents:\n  a: { name: A, description: "", exec: { command: x, timout: 3s } }\n',
    'config.yaml:2:54: agents.a.exec.timout: unknown key, did you mean "timeout"?',
  ],
  [
    "an agent without a handler is refused",
    'agents:\n  a: { name: A, description: "" }\n',
    "config.yaml:2:6: agents.a: expected exactly one of static, exec, module, http, upstream, got a mapping of name, description",
  ],
  [
    "an agent with two handlers is refused",
    'agents:\n  a: { name: A, description: "", static: {}, exec: ls }\n',
    "config.yaml:2:6: agents.a: expected exactly one of static, exec, module, http, upstream, got a mapping of name, description, static, exec",
  ],
  ...["a2a", "tasks", "v1"].map(
    (id) =>
      [
        `a word of the paths is no agent id: ${id}`,
        `agents:\n  ${id}: { name: A, description: "", static: {} }\n`,
        `config.yaml:2:3: agents.${id}: expected an agent id other than a2a, tasks, v1, which are words of the paths, got "${id}"`,
      ] as const,
  ),
  [
    "an agent id must be a slug",
    'agents:\n  My_Agent: { name: A, description: "", static: {} }\n',
    'config.yaml:2:3: agents.My_Agent: expected an agent id: lower-case letters, digits and dashes, at most 63, no dash in front, got "My_Agent"',
  ],
  [
    "a bad agent id hides nothing that is wrong inside the agent",
    'agents:\n  A: { name: 3, description: "", static: {} }\n',
    [
      'config.yaml:2:3: agents.A: expected an agent id: lower-case letters, digits and dashes, at most 63, no dash in front, got "A"',
      "config.yaml:2:14: agents.A.name: expected text, got 3",
    ].join("\n"),
  ],
  [
    "there must be an agent",
    "agents: {}\n",
    "config.yaml:1:9: agents: expected at least one agent, got a mapping without keys",
  ],
  [
    "the primary agent must be one of the agents",
    `primary: toString\n${ECHO}`,
    'config.yaml:1:10: primary: expected the id of one of the agents, got "toString"',
  ],
  [
    "a key without a value is told so",
    `database:\n${ECHO}`,
    "config.yaml:1:10: database: expected text, got nothing",
  ],
  [
    "a list where a mapping should be is told so",
    `log: [info]\n${ECHO}`,
    "config.yaml:1:6: log: expected a mapping, got a list",
  ],
  ["an empty file is told so", "", "config.yaml:1:1: expected a mapping, got nothing"],
  [
    "a key given twice is refused",
    `${ECHO}agents: {}\n`,
    "config.yaml:3:1: map keys must be unique",
  ],
  ["an unknown tag is refused", `a: !b c\n${ECHO}`, "config.yaml:1:4: unresolved tag: !b"],
];

for (const [title, text, problem] of ONE_LINERS)
  test(title, () => assert.deepEqual(problemsOf(text), problem.split("\n")));

test("text that is not YAML is refused with its place", () => {
  const [problem = ""] = problemsOf("a: [1\nb: 2\n");
  assert.match(problem, /^config\.yaml:\d+:\d+: /);
});

test("a small file that unfolds into a huge one is refused", () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const inner = level === 0 ? "x" : `*l${level - 1}`;
    return `l${level}: &l${level} [${Array(10).fill(inner).join(", ")}]`;
  });
  assert.match(problemsOf(levels.join("\n")).join("\n"), /excessive alias count/);
});

test("a fault in the environment is named by its variable", () => {
  assert.deepEqual(problemsOf(ECHO, { A2A_GATEWAY_LISTEN: "zz", A2A_GATEWAY_LOG_LEVEL: "loud" }), [
    'A2A_GATEWAY_LISTEN: listen: expected an address such as 127.0.0.1:8080, got "zz"',
    'A2A_GATEWAY_LOG_LEVEL: log.level: expected one of debug, info, warn, error, silent, got "loud"',
  ]);
});

test("variables are filled in, and $${ is a plain ${", () => {
  const text = `agents:
  a:
    name: \${WHO} of \${WHERE}
    description: ""
    exec: { command: "echo $\${HOME}", concurrency: "\${SLOTS}" }
`;
  const { agents } = parseConfig(text, "c.yaml", { WHO: "Ann", WHERE: "here", SLOTS: "3" });
  assert.equal(agents["a"]?.name, "Ann of here");
  assert.deepEqual(agents["a"]?.handler, {
    kind: "exec",
    command: "echo ${HOME}",
    concurrency: 3,
  });
});

test("variables that are not set are all named, and nothing else of their settings", () => {
  assert.deepEqual(problemsOf(`listen: \${A}\ndatabase: "\${B}/\${C%x}"\n${ECHO}`), [
    "config.yaml:1:9: listen: environment variable A is not set",
    "config.yaml:2:11: database: environment variable B is not set",
    'config.yaml:2:11: database: expected a variable such as ${NAME}, got "${C%x}" ($${ is a plain ${)',
  ]);
});

test("no error shows what a variable holds", () => {
  assert.deepEqual(problemsOf(`listen: \${SECRET}\n${ECHO}`, { SECRET: "hush" }), [
    'config.yaml:1:9: listen: expected an address such as 127.0.0.1:8080, got "${SECRET}"',
  ]);
});

test("an alias is reported where it is used", () => {
  const text = `x-off: &wait soon\nstop: { grace: *wait }\n${ECHO}`;
  assert.ok(
    problemsOf(text).includes(
      'config.yaml:2:16: stop.grace: expected a duration such as 30s, at most 24d, got "soon"',
    ),
  );
});
