import assert from "node:assert/strict";
import { test } from "node:test";
import { tableLines } from "../../src/cli/admin/table.ts";

const COLUMNS = [
  { title: "ID", cell: (row: readonly string[]) => row[0] ?? "" },
  { title: "STATE", cell: (row: readonly string[]) => row[1] ?? "" },
  { title: "NAME", cell: (row: readonly string[]) => row[2] ?? "" },
];

test("columns line up, and nothing follows the last", () => {
  const rows = [
    ["weather", "on", "Weather"],
    ["x", "disabled", "é𝒳"],
  ];
  assert.deepEqual(tableLines(COLUMNS, rows), [
    "ID       STATE     NAME",
    "weather  on        Weather",
    "x        disabled  é𝒳",
  ]);
});

test("an empty cell shows as a dash", () => {
  assert.deepEqual(tableLines(COLUMNS, [["x", "", ""]]), ["ID  STATE  NAME", "x   -      -"]);
});

test("no rows are told in a word", () => {
  assert.deepEqual(tableLines(COLUMNS, []), ["none"]);
});
