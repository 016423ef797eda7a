/** The one logger: JSON lines on stdout, collected and written a batch at a time. */
import { pino } from "pino";
import type { Log } from "./core/ports/log.ts";
import { LogOutput } from "./log-output.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export interface Logger extends Log {
  /** May be set at run time. */
  level: LogLevel;
  /** An info line whatever the level is. */
  always(fields: object, message: string): void;
  /** A line of somebody else, with its line feed, between ours. */
  line(text: string): void;
  /** Writes what is still held back. The end of the process does so by itself, an uncaught exception included. */
  flush(): void;
}

/** Fields that may hold credentials, whatever the caller meant to log. A last net: nobody logs headers on purpose. */
const SECRET: ReadonlySet<string> = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "api-key",
  "apiKey",
  "token",
  "password",
  "credentials",
]);
/** Fields that may hold such fields. */
const HOLDERS = ["headers", "metadata"];

/**
 * Lines go to a file descriptor, which is that of stdout unless told otherwise. Asked for its stdout, Node makes a pipe
 * refuse what its reader has no room for; else a reader that stops reading would stop the process.
 */
export function createLog(level: LogLevel, target: number = process.stdout.fd): Logger {
  const output = new LogOutput(target);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
      serializers: { err: pino.stdSerializers.err },
    },
    output,
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    get level() {
      return logger.level as LogLevel;
    },
    set level(next) {
      logger.level = next;
    },
    always: (fields, msg) => {
      const time = new Date().toISOString();
      output.write(`${JSON.stringify({ level: "info", time, ...fields, msg })}\n`);
    },
    line: (text) => output.write(text),
    flush: () => output.flush(),
  };
}

/** Pino's own redaction copies every line; here only a line that needs it is copied. */
function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  let clean = censored(fields);
  for (const holder of HOLDERS) {
    const held = clean[holder];
    if (typeof held !== "object" || held === null) continue;
    const cleanHeld = censored(held as Record<string, unknown>);
    if (cleanHeld !== held) clean = { ...clean, [holder]: cleanHeld };
  }
  return clean;
}

function censored(fields: Record<string, unknown>): Record<string, unknown> {
  let clean = fields;
  for (const name in fields) if (SECRET.has(name)) clean = { ...clean, [name]: "[redacted]" };
  return clean;
}
