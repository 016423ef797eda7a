import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A directory with those files, gone after the test. */
export async function directoryWith(
  t: TestContext,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "access-"));
  t.after(() => rm(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return path;
}
