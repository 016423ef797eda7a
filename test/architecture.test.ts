/** Executes the import table of docs/architecture.md over src/ and migrations/. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import {
  sharedPackages,
  unusedPermissions,
  violationsOf,
  type ImportRule,
  type SourceTree,
} from "./support/import-rules.ts";

const WEB = [
  "protocol",
  "transports/client-address",
  "transports/request",
  "transports/tls-peer",
  "wire",
];

const RULES: readonly ImportRule[] = [
  { folder: "protocol", ours: [], outside: [] },
  { folder: "core", ours: ["protocol"], outside: [] },
  { folder: "wire", ours: ["protocol"], outside: ["node:", "protobufjs"] },
  { folder: "migrations", ours: [], outside: ["knex"] },
  {
    folder: "store",
    ours: ["core/ports", "migrations", "one-at-a-time", "protocol"],
    outside: ["node:", "knex", "sqlite3"],
  },
  {
    folder: "handlers",
    ours: ["core/ports", "protocol", "setting-error"],
    outside: ["node:", "eventsource-parser", "tsx"],
  },
  {
    folder: "handlers/upstream",
    ours: ["core/ports", "handlers", "protocol", "setting-error", "text-file", "wire"],
    outside: ["node:", "@grpc/grpc-js", "oauth4webapi"],
  },
  {
    folder: "agents",
    ours: ["core/ports", "protocol", "text-file", "wire"],
    outside: ["node:", "canonicalize"],
  },
  {
    folder: "config",
    ours: ["access", "handlers", "protocol", "setting-error", "text-file"],
    outside: ["node:", "yaml", "zod"],
  },
  { folder: "log", ours: ["core/ports", "log-output"], outside: ["pino"] },
  { folder: "log-output", ours: [], outside: ["node:"] },
  {
    folder: "transports/http",
    ours: [...WEB, "transports/safe-headers"].toSorted(),
    outside: ["node:", "koa"],
  },
  {
    folder: "transports/jsonrpc",
    ours: ["protocol", "transports/http", "transports/request", "wire"],
    outside: ["node:", "koa"],
  },
  {
    folder: "transports/rest",
    ours: ["protocol", "transports/http", "transports/request", "wire"],
    outside: ["node:", "@koa/router", "koa"],
  },
  {
    folder: "transports/grpc",
    ours: WEB,
    outside: [
      "node:",
      "@grpc/grpc-js",
      "@grpc/proto-loader",
      "@grpc/reflection",
      "grpc-health-check",
    ],
  },
  { folder: "transports/request", ours: ["protocol", "transports/tls-peer"], outside: [] },
  { folder: "transports/client-address", ours: [], outside: ["node:"] },
  { folder: "transports/connections", ours: ["network"], outside: ["node:"] },
  { folder: "transports/linger", ours: [], outside: ["node:"] },
  {
    folder: "transports/listener",
    ours: [
      "transports/connections",
      "transports/linger",
      "transports/pipeline",
      "transports/preface",
      "transports/refusal",
    ],
    outside: ["node:"],
  },
  { folder: "transports/pipeline", ours: [], outside: ["node:"] },
  { folder: "transports/preface", ours: [], outside: ["node:"] },
  { folder: "transports/tls-certificate", ours: [], outside: ["node:"] },
  {
    folder: "transports/tls-gate",
    ours: ["transports/tls-certificate", "transports/tls-refusal"],
    outside: ["node:"],
  },
  { folder: "transports/tls-peer", ours: [], outside: ["node:"] },
  {
    folder: "transports/refusal",
    ours: ["transports/linger", "transports/safe-headers"],
    outside: ["node:"],
  },
  { folder: "transports/safe-headers", ours: [], outside: [] },
  { folder: "transports/tls-refusal", ours: ["transports/refusal"], outside: ["node:"] },
  {
    folder: "access",
    ours: ["core/ports", "network", "protocol", "setting-error", "steady-clock", "text-file"],
    outside: ["node:", "jose", "limiter", "lru-cache"],
  },
  {
    folder: "push",
    ours: ["core/churning-map", "core/deferred", "core/ports", "protocol", "steady-clock", "wire"],
    outside: ["node:", "ipaddr.js"],
  },
  {
    folder: "ops",
    ours: [
      "core/ports",
      "protocol",
      "transports/refusal",
      "transports/request",
      "transports/safe-headers",
      "transports/tls-peer",
    ],
    outside: ["node:", "@koa/router", "koa"],
  },
  { folder: "ids", ours: [], outside: ["node:", "uuid"] },
  { folder: "setting-error", ours: [], outside: [] },
  { folder: "text-file", ours: [], outside: ["node:"] },
  { folder: "network", ours: [], outside: ["node:"] },
  { folder: "loopback", ours: [], outside: ["node:"] },
  { folder: "steady-clock", ours: [], outside: [] },
  {
    folder: "connections",
    ours: ["config", "core/ports", "transports/client-address", "transports/connections"],
    outside: [],
  },
  { folder: "closers", ours: [], outside: [] },
  { folder: "one-at-a-time", ours: [], outside: [] },
  {
    folder: "tls",
    ours: ["config", "core/ports", "transports/tls-certificate", "transports/tls-gate"],
    outside: ["node:"],
  },
  {
    folder: "doors",
    ours: [
      "agents",
      "closers",
      "config",
      "connections",
      "log",
      "protocol",
      "tls",
      "transports",
      "wire",
    ],
    outside: ["node:"],
  },
  { folder: "card-keys", ours: ["agents", "config"], outside: [] },
  {
    folder: "admin",
    ours: ["agents", "core", "loopback", "ops", "protocol", "webhooks"],
    outside: [],
  },
  {
    folder: "audit",
    ours: ["access/policy/operations", "config", "core/ports", "log", "log-output", "protocol"],
    outside: ["node:"],
  },
  { folder: "cautions", ours: ["config", "loopback"], outside: [] },
  {
    folder: "gate",
    ours: [
      "access",
      "agents",
      "cautions",
      "config",
      "core/ports",
      "ops/admin/ports",
      "transports/http/catalogue",
      "transports/request",
    ],
    outside: [],
  },
  {
    folder: "service",
    ours: ["agents", "audit", "config", "core", "gate", "log", "protocol", "store"],
    outside: [],
  },
  {
    folder: "webhooks",
    ours: ["agents", "config", "core", "push", "text-file"],
    outside: ["node:"],
  },
  {
    folder: "fleet",
    ours: ["agents", "config", "core/ports", "doors", "handlers", "one-at-a-time", "protocol"],
    outside: ["node:"],
  },
  { folder: "gateway", ours: ["everything"], outside: [] },
  {
    folder: "cli",
    ours: [
      "access",
      "agents",
      "cautions",
      "config",
      "core/ports",
      "gateway",
      "handlers",
      "log",
      "protocol",
      "store",
      "text-file",
      "webhooks",
      "wire",
    ],
    outside: ["node:", "@grpc/grpc-js", "commander", "undici"],
  },
  { folder: "main", ours: ["cli"], outside: [] },
];

/** Why a package is imported by more than one folder. */
const SHARED: Readonly<Record<string, string>> = {
  knex: "a migration is a function of Knex's schema builder; the store runs it",
  koa: "JSON-RPC and REST are middlewares of one app; the Admin API is another app, on a port of its own",
  "@koa/router": "the routes of REST, and those of the Admin API",
  "@grpc/grpc-js":
    "the server is a transport, the command line's client calls any gRPC agent, and the gateway those behind it",
};

test("every file imports only what the table allows", () => {
  const tree = sourceTree();
  assert.ok(tree.size > 10, "the source files were found");
  assert.deepEqual(violationsOf(tree, RULES), []);
});

test("the table allows nothing that nobody uses", () => {
  assert.deepEqual(unusedPermissions(sourceTree(), RULES), []);
});

test("the table equals the one in docs/architecture.md", () => {
  assert.deepEqual(documentedRules(), RULES);
});

test("a package in two folders has its reason", () => {
  assert.deepEqual(sharedPackages(RULES), Object.keys(SHARED).sort());
});

test("every package in the table is a dependency", () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    dependencies: Record<string, string>;
  };
  const listed = RULES.flatMap((rule) => rule.outside).filter((name) => name !== "node:");
  assert.deepEqual([...new Set(listed)].sort(), Object.keys(dependencies).sort());
});

test("only config reads the environment", () => {
  const readers = [...sourceTree()].filter(([, text]) => /\bprocess\.env\b/.test(text));
  const outside = readers.map(([file]) => file).filter((file) => !file.startsWith("src/config/"));
  assert.deepEqual(outside, []);
});

const violations: readonly { title: string; files: Record<string, string>; expected: string[] }[] =
  [
    {
      title: "a folder that may not be imported",
      files: { "src/core/a.ts": 'import { b } from "../wire/b.ts";', "src/wire/b.ts": "" },
      expected: ["src/core/a.ts: core may not import wire/b"],
    },
    {
      title: "a file beside the one that may be imported",
      files: {
        "src/ops/a.ts": 'import type { x } from "../core/ports/log.ts";\nimport "../core/b.ts";',
        "src/core/ports/log.ts": "",
        "src/core/b.ts": "",
      },
      expected: ["src/ops/a.ts: ops may not import core/b"],
    },
    {
      title: "a package, over several lines and dynamically",
      files: {
        "src/protocol/a.ts":
          'import {\n  x,\n} from "@grpc/grpc-js/build";\nawait import("node:fs");',
      },
      expected: [
        "src/protocol/a.ts: protocol may not import @grpc/grpc-js (@grpc/grpc-js/build)",
        "src/protocol/a.ts: protocol may not import node: (node:fs)",
      ],
    },
    {
      title: "a folder without a row, and a transport without one",
      files: { "src/helpers/a.ts": "", "src/transports/carrier/b.ts": "" },
      expected: [
        "src/helpers/a.ts: its folder is not in the table",
        "src/transports/carrier/b.ts: its folder is not in the table",
      ],
    },
    {
      title: "a cycle, types included",
      files: {
        "src/core/a.ts": 'import { b } from "./b.ts";',
        "src/core/b.ts": 'export { c } from "./c.ts";',
        "src/core/c.ts": 'import type { a } from "./a.ts";',
      },
      expected: ["cycle: src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts"],
    },
    {
      title: "default exports and barrels",
      files: {
        "src/wire/a.ts": "export default 1;",
        "src/wire/b.ts": 'export * from "./a.ts";',
        "src/wire/index.ts": 'export { b } from "./b.ts";',
      },
      expected: [
        "src/wire/a.ts: default export",
        "src/wire/b.ts: re-exports like a barrel",
        "src/wire/index.ts: re-exports like a barrel",
      ],
    },
    {
      title: "a file outside the source",
      files: { "src/wire/a.ts": 'import { t } from "../../test/t.ts";' },
      expected: ["src/wire/a.ts: ../../test/t.ts is not a source file"],
    },
  ];

for (const { title, files, expected } of violations)
  test(`the check finds ${title}`, () => {
    assert.deepEqual(violationsOf(new Map(Object.entries(files)), RULES), expected);
  });

test("the check finds a permission that nobody uses", () => {
  const rules = [
    { folder: "core", ours: ["protocol", "wire"], outside: ["node:", "knex"] },
    { folder: "core/a", ours: ["wire"], outside: [] },
  ];
  const tree = new Map([
    ["src/core/a.ts", 'import "../wire/b.ts";'],
    ["src/core/c.ts", 'import "../protocol/b.ts";\nimport "node:fs";'],
  ]);
  assert.deepEqual(unusedPermissions(tree, rules), [
    "core does not import knex",
    "core does not import wire",
  ]);
});

test("the check lets through what the table allows", () => {
  const tree = new Map([
    ["src/gateway.ts", 'import { a } from "./transports/grpc/a.ts";'],
    ["src/transports/grpc/a.ts", '// import { x } from "knex";\nimport "node:fs";'],
    ["migrations/index.ts", 'import type { Knex } from "knex";\nimport "./001-tasks.ts";'],
    ["migrations/001-tasks.ts", "export const up = 1;"],
  ]);
  assert.deepEqual(violationsOf(tree, RULES), []);
});

function sourceTree(): SourceTree {
  const files = ["src", "migrations"].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => `${root}/${path}`),
  );
  return new Map(
    files.filter((file) => file.endsWith(".ts")).map((file) => [file, readFileSync(file, "utf8")]),
  );
}

/** The rows under "| folder | of ours | from outside |", which end at the first line that is none. */
function documentedRules(): ImportRule[] {
  const lines = readFileSync("docs/architecture.md", "utf8").split("\n");
  const header = lines.indexOf("| folder | of ours | from outside |");
  assert.notEqual(header, -1, "docs/architecture.md has the table");
  const body = lines.slice(header + 2);
  const end = body.findIndex((line) => !line.startsWith("|"));
  return body.slice(0, end).map((line) => {
    const [folder = "", ours = "", outside = ""] = line.split("|").slice(1, -1);
    return { folder: folder.trim(), ours: namesOf(ours), outside: namesOf(outside) };
  });
}

function namesOf(cell: string): string[] {
  return cell.trim() === "nothing" ? [] : cell.split(",").map((name) => name.trim());
}
