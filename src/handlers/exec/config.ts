/**
 * Runs a program for each message. In the configuration file one of
 *
 *     exec: "fortune | cowsay"                       # short for { command: "fortune | cowsay" }
 *     exec: [python3, agent.py]                      # short for { command: [python3, agent.py] }
 *     exec: { command: [python3, agent.py], mode: events, timeout: 2m, env: { MODEL: small } }
 */
export interface ExecConfig {
  readonly kind: "exec";
  /**
   * The program and its arguments, started without a shell. A plain text is a command line for `/bin/sh -c`.
   * A relative program with a slash is looked up from `cwd`, one without a slash on the PATH.
   */
  readonly command: string | readonly string[];
  /** Runs a command list through `/bin/sh -c` too, its members joined by blanks. Default: true for a plain text. */
  readonly shell?: boolean;
  /**
   * `plain`: the message's text goes to stdin, stdout becomes an artifact. `events`: the turn goes to stdin as one line
   * of JSON (see turn-json.ts), each line of stdout is an event (see events.ts). Default `plain`.
   */
  readonly mode?: "plain" | "events";
  /** Plain mode: sends stdout in chunks as it comes instead of whole at the end. Default false. */
  readonly stream?: boolean;
  /** The working directory, relative to the configuration file's. Default: that directory. */
  readonly cwd?: string;
  /**
   * Added to the environment, which else holds only PATH, HOME and LANG of the gateway and A2A_AGENT, A2A_TASK_ID,
   * A2A_CONTEXT_ID and A2A_MESSAGE_ID.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds that the program may run; 0: without limit. Default 300,000 (5 minutes). */
  readonly timeout?: number;
  /** Milliseconds between SIGTERM and SIGKILL when it has to stop. Default 5,000. */
  readonly killGrace?: number;
  /** Bytes that it may write to stdout. Default 16,777,216 (16 MiB). */
  readonly maxOutput?: number;
  /** Events mode: bytes of one line. Default 4,194,304 (4 MiB). */
  readonly maxLine?: number;
  /** How many programs of this agent run at a time. Default 16. */
  readonly concurrency?: number;
  /** How many turns may wait for their program to start; further ones are answered UNAVAILABLE. Default 256. */
  readonly maxQueue?: number;
}
