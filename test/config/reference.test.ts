import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { VARIABLE_NAMES } from "../../src/config/environment.ts";
import { keyPaths } from "../../src/config/schema-walk.ts";
import { configSchema } from "../../src/config/schema.ts";

const reference = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");

/** Which section of the page describes the keys below a path; the first that fits. */
const SECTIONS: readonly (readonly [prefix: string, title: string])[] = [
  ["agents.*.static.", "Static"],
  ["agents.*.exec.", "Exec"],
  ["agents.*.module.", "Module"],
  ["agents.*.http.", "HTTP"],
  ["agents.*.upstream.", "Upstream"],
  ["agents.*.", "Agents"],
  ["", "Gateway"],
];

const paths = keyPaths(configSchema);

for (const [prefix, title] of SECTIONS) {
  const own = paths.filter((path) => sectionOf(path) === title);
  const keys = new Set(own.map((path) => lastKey(path.slice(prefix.length))));

  test(`the reference mentions every key of ${title}`, () => {
    assert.ok(keys.size > 0);
    const rows = rowKeys(title);
    assert.deepEqual(
      [...keys].filter((key) => !rows.has(key)),
      [],
    );
  });

  test(`the reference mentions no key that ${title} does not have`, () => {
    assert.deepEqual(
      [...rowKeys(title)].filter((key) => !keys.has(key)),
      [],
    );
  });
}

test("the reference mentions every variable", () => {
  assert.deepEqual(
    VARIABLE_NAMES.filter((name) => !reference.includes(`\`${name}\``)),
    [],
  );
});

function sectionOf(path: string): string | undefined {
  return SECTIONS.find(([prefix]) => path.startsWith(prefix))?.[1];
}

/** The last keys of all that stands in the first column of a section's tables. */
function rowKeys(title: string): ReadonlySet<string> {
  const [, section = ""] = reference.split(`\n## ${title}\n`);
  const [text = ""] = section.split("\n## ");
  const cells = [...text.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
  const written = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)]);
  return new Set(written.map(([, key = ""]) => lastKey(key)));
}

function lastKey(path: string): string {
  return path.replaceAll("[]", "").split(".").at(-1) ?? "";
}
