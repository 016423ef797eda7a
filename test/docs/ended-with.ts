/** Ends processes with the test that they are for. */
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { TestContext } from "node:test";

/** Ends a process with the test. */
export function endedWith(
  t: TestContext,
  child: ChildProcess,
  signal: NodeJS.Signals = "SIGKILL",
): void {
  const ended = new Promise((resolve) => child.once("close", resolve));
  t.after(async () => {
    child.kill(signal);
    await ended;
  });
}

/** Ends the process whose number is in a file, unless a guide's commands have ended it and removed the file. */
export function endedByNumberIn(t: TestContext, file: string): void {
  t.after(async () => {
    const number = await readFile(file, "utf8").catch(() => undefined);
    if (number === undefined) return;
    try {
      process.kill(Number(number));
    } catch {
      // It has ended by itself.
    }
  });
}
