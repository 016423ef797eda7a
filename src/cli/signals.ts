import type { Logger } from "../log.ts";
import { EXIT } from "./exit.ts";

/** The first SIGTERM or SIGINT stops, and the process ends well once that is done; the second ends it at once. */
export function stopOnSignals(stop: () => Promise<void>, log: Logger): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return end(EXIT.failed, log);
    stopping = true;
    log.info({ signal }, "asked to stop");
    void stop().then(
      () => end(EXIT.ok, log),
      (err: unknown) => {
        log.error({ err }, "stop failed");
        end(EXIT.failed, log);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

function end(code: number, log: Logger): void {
  log.flush();
  process.exit(code);
}
