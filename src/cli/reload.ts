/** The configuration is read again when somebody says so, and when its file has changed. */
import { unwatchFile, watchFile, type StatsListener } from "node:fs";
import { AgentControlError, type Reloaded } from "../core/ports/agent-control.ts";
import type { Logger } from "../log.ts";

/**
 * How often the file is looked at, in milliseconds. Events of the file system say less than that: they miss files that
 * are mounted, and links that are turned to another file, as orchestrators do.
 */
const LOOK_EVERY = 2_000;

/** Without a file there is nothing to read again; the signal must not end the process for that. */
export function ignoreHangups(): () => void {
  process.on("SIGHUP", () => {});
  return () => {};
}

/**
 * Reloads on SIGHUP, and when the file has another time or size, until the function is called that this returns. What is
 * wrong with the file goes to the log.
 */
export function reloadOnChange(
  file: string,
  reload: (why: string) => Promise<Reloaded>,
  log: Logger,
): () => void {
  let hasEnded = false;
  const again = (why: string): void => {
    // The signal keeps its listener: without one it would end the process.
    if (hasEnded) return;
    reload(why).then(
      (changes) => {
        log.info({ why, ...changes }, "configuration reloaded");
        if (changes.later.length > 0)
          log.warn({ settings: changes.later }, "these settings count from the next start on");
      },
      (thrown: unknown) => {
        const problems = AgentControlError.is(thrown) ? thrown.problems : undefined;
        log.error(
          { why, err: thrown, problems },
          "the configuration cannot be used; the one before stays",
        );
      },
    );
  };
  const onLook: StatsListener = (now, before) => {
    // A file that is gone is about to be written anew.
    if (now.mtimeMs !== 0 && (now.mtimeMs !== before.mtimeMs || now.size !== before.size))
      again("the file has changed");
  };
  process.on("SIGHUP", () => again("SIGHUP"));
  watchFile(file, { interval: LOOK_EVERY, persistent: false }, onLook);
  return () => {
    hasEnded = true;
    unwatchFile(file, onLook);
  };
}
