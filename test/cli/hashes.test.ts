/** The commands that make what stands for secrets in a configuration. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isPassword, passwordHashOf } from "../../src/access/basic/password-hash.ts";
import { typedSecret } from "../../src/cli/secret-input.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

async function given(input: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, ["--import", TSX, MAIN, ...args]);
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code: child.exitCode, stdout, stderr };
}

const KEY = "a key that is long enough to be one";

test("keys hash shows the SHA-256 of the key alone", async () => {
  const expected = `${createHash("sha256").update(KEY).digest("hex")}\n`;
  for (const input of [KEY, `${KEY}\n`, ` ${KEY}\r\n\n`])
    assert.deepEqual(await given(input, "keys", "hash"), { code: 0, stdout: expected, stderr: "" });
});

test("keys hash refuses what is no key", async () => {
  for (const [input, why] of [
    ["", "expected a key on standard input"],
    ["short", "expected a key of at least 32 characters"],
    [`a2agw_${"x".repeat(49)}`, "expected a whole key: this one was cut or changed"],
  ] as const)
    assert.deepEqual(await given(input, "keys", "hash"), {
      code: 1,
      stdout: "",
      stderr: `${why}\n`,
    });
});

test("passwords hash shows a hash that fits the password, spaces and all", async () => {
  const { code, stdout } = await given(" pässword \n", "passwords", "hash");
  assert.equal(code, 0);
  const hash = passwordHashOf(stdout.trimEnd());
  assert.ok(hash);
  assert.equal(await isPassword(" pässword ", hash), true);
  assert.equal(await isPassword("pässword", hash), false);
});

test("passwords hash refuses what nobody could send", async () => {
  for (const input of ["\n", "two\nlines\n", "tab\t"]) {
    const { code, stdout } = await given(input, "passwords", "hash");
    assert.deepEqual([code, stdout], [1, ""], JSON.stringify(input));
  }
});

/** What is asked for when that is typed on a terminal, and what the terminal shows. */
async function typing(typed: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(typed);
  const secret = await typedSecret("password", input, output).finally(() => output.end());
  return { secret, shown: await text(output) };
}

test("what is typed is not shown", async () => {
  assert.deepEqual(await typing("s3cret word\rs3cret word\r"), {
    secret: "s3cret word",
    shown: "password: \nagain: \n",
  });
});

test("a slip of the finger can be taken back, and is found otherwise", async () => {
  assert.equal((await typing("ab\u007fc\rac\r")).secret, "ac");
  await assert.rejects(typing("ab\rac\r"), { message: "the two passwords differ" });
});

test("whoever stops typing is told so", async () => {
  for (const typed of ["", "ab", "ab\r", "ab\u0003"])
    await assert.rejects(typing(typed), { message: "no password was typed" }, typed);
});
