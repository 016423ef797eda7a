/** Installs the peer into the cache, once per version of its lists; BENCH_A2A_JS names a folder where that is done already. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const SOURCE = join(import.meta.dirname, "a2a-js");
const CACHE = join(import.meta.dirname, "../../.cache/bench-peer-a2a-js");
const LISTS = ["package.json", "package-lock.json"];

/** Sets BENCH_A2A_JS, which the target reads. */
export function installPeer(): void {
  if (process.env["BENCH_A2A_JS"]) return;
  if (!LISTS.every(isSame)) {
    rmSync(CACHE, { recursive: true, force: true });
    mkdirSync(CACHE, { recursive: true });
    for (const list of LISTS) cpSync(join(SOURCE, list), join(CACHE, list));
    const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    const { status } = spawnSync("npm", args, { cwd: CACHE, stdio: "ignore" });
    if (status !== 0) {
      rmSync(CACHE, { recursive: true, force: true });
      throw new Error(
        "the peer cannot be installed: npm ci failed in a copy of bench/peers/a2a-js",
      );
    }
  }
  cpSync(SOURCE, CACHE, { recursive: true });
  process.env["BENCH_A2A_JS"] = CACHE;
}

function isSame(list: string): boolean {
  const copy = join(CACHE, list);
  return existsSync(copy) && readFileSync(copy).equals(readFileSync(join(SOURCE, list)));
}
