/** A server reads its configuration again when it is told to, and when the file has changed. */
import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { serve, temporaryFile } from "./command.ts";

const text = (agents: string): string => `
listen: 127.0.0.1:0
database: ":memory:"
agents:
  one: { name: One, description: "", static: {} }
${agents}`;

const TWO = `  two: { name: Two, description: "", static: {} }\n`;
const THREE = `  three: { name: Three, description: "", static: {} }\n`;

async function has(url: string, agent: string): Promise<boolean> {
  const card = await fetch(`${url}/a2a/${agent}/.well-known/agent-card.json`);
  return card.status === 200;
}

test("SIGHUP brings in what the file says now, and a mistake in it ends nothing", async (t) => {
  const file = await temporaryFile(t, "config.yaml", text(""));
  const { url, child } = await serve(t, [file]);
  assert.equal(await has(url, "two"), false);
  await writeFile(file, text(TWO));
  child.kill("SIGHUP");
  while (!(await has(url, "two")));
  await writeFile(file, text("  two: { nonsense: 1 }\n"));
  child.kill("SIGHUP");
  await writeFile(file, text(THREE));
  child.kill("SIGHUP");
  while (!(await has(url, "three")));
  assert.equal(await has(url, "two"), false);
  assert.equal(child.exitCode, null);
});

test("a file that was changed, or replaced by another one, is read without being asked", async (t) => {
  const file = await temporaryFile(t, "config.yaml", text(""));
  const { url } = await serve(t, [file]);
  await writeFile(file, text(TWO));
  while (!(await has(url, "two")));
  await writeFile(`${file}.new`, text(TWO + THREE));
  await rename(`${file}.new`, file);
  while (!(await has(url, "three")));
});
