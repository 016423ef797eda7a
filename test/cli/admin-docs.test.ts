import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Command } from "commander";
import { adminCommand } from "../../src/cli/admin/admin.ts";
import { deliveriesCommand } from "../../src/cli/admin/deliveries.ts";
import { agentsCommand } from "../../src/cli/agents.ts";
import { keysCommand } from "../../src/cli/keys.ts";
import { passwordsCommand } from "../../src/cli/passwords.ts";

const PAGE = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");

const GROUPS = [
  agentsCommand(),
  adminCommand(),
  deliveriesCommand(),
  keysCommand(),
  passwordsCommand(),
];

for (const { path, command } of GROUPS.flatMap((group) => leavesOf(group, "a2a-gateway")))
  test(`docs/cli.md tells of ${path} and its options`, () => {
    assert.ok(PAGE.includes(`${path} `), path);
    for (const { long } of command.options)
      assert.match(PAGE, new RegExp(`[ \`]${long ?? ""}\\b`), `${path} ${long}`);
  });

interface Leaf {
  readonly path: string;
  readonly command: Command;
}

function leavesOf(command: Command, above: string): readonly Leaf[] {
  const path = `${above} ${command.name()}`;
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((each) => leavesOf(each, path));
}
