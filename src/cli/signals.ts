import type { Logger } from "../log.ts";
import { EXIT } from "./exit.ts";

export interface Stopping {
  readonly stop: () => Promise<void>;
  /** Milliseconds that `stop` may take. */
  readonly deadline: number;
  readonly log: Logger;
}

/**
 * The first SIGTERM or SIGINT stops, and the process ends once that is done: well, or with exit code 1 when it failed or
 * took too long. The second ends it at once.
 */
export function stopOnSignals({ stop, deadline, log }: Stopping): void {
  let stopping = false;
  const fail = (fields: object, why: string) => {
    log.error(fields, why);
    end(EXIT.failed, log);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return end(EXIT.failed, log);
    stopping = true;
    log.info({ signal }, "asked to stop");
    setTimeout(() => fail({ deadline }, "stop took too long"), deadline);
    void stop().then(
      () => end(EXIT.ok, log),
      (err: unknown) => fail({ err }, "stop failed"),
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

function end(code: number, log: Logger): void {
  log.flush();
  process.exit(code);
}
