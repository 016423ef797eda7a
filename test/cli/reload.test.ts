/** A server reads its configuration again when it is told to, and when the file has changed. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { serve, temporaryFile, temporaryFolder } from "./command.ts";

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

test("a server that stops reads its file no more, and SIGHUP does not cut what it waits for", async (t) => {
  const folder = await temporaryFolder(t);
  const [begun, go, file] = ["begun", "go", "config.yaml"].map((name) => join(folder, name));
  assert.ok(begun && go && file);
  const script = `touch ${begun}; until [ -e ${go} ]; do sleep 0.05; done; echo done`;
  const exec = JSON.stringify({ command: ["sh", "-c", script] });
  await writeFile(file, text(`  slow: { name: Slow, description: "", exec: ${exec} }\n`));
  const { url, child, ended } = await serve(t, [file]);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };
  const sent = fetch(`${url}/a2a/slow/message:send`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message }),
  });
  while (!existsSync(begun)) await setImmediate();
  child.kill("SIGTERM");
  while (!output.includes("asked to stop")) await setImmediate();
  child.kill("SIGHUP");
  await writeFile(go, "");
  assert.equal((await sent).status, 200);
  assert.equal(await ended, 0);
  assert.doesNotMatch(output, /SIGHUP/);
});

test("SIGHUP has the audit written to a new file, and to a new file only", async (t) => {
  const folder = await temporaryFolder(t);
  const [file, audit, rotated] = ["config.yaml", "audit.log", "audit.log.1"].map((name) =>
    join(folder, name),
  );
  assert.ok(file && audit && rotated);
  await writeFile(file, `audit: { file: audit.log }${text("")}`);
  const { url, child, ended } = await serve(t, [file]);
  const holds = async (path: string, what: string): Promise<void> => {
    while (!(await readFile(path, "utf8").catch(() => "")).includes(what)) await setImmediate();
  };
  const call = (request: string): Promise<Response> =>
    fetch(`${url}/a2a/one/tasks`, { headers: { "x-request-id": request } });
  await call("before");
  await holds(audit, '"before"');
  await rename(audit, rotated);
  child.kill("SIGHUP");
  await holds(audit, '"cause":"SIGHUP"');
  await call("after");
  await holds(audit, '"after"');
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
  const texts = await Promise.all([rotated, audit].map((path) => readFile(path, "utf8")));
  assert.deepEqual(
    texts.map((each) =>
      ["start", "before", "after", "stop"].filter((what) => each.includes(`"${what}"`)),
    ),
    [
      ["start", "before"],
      ["after", "stop"],
    ],
  );
});
