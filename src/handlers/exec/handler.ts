/** Runs a program for each turn; see config.ts. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Handler, HandlerEvent, Turn } from "../../core/ports/handler.ts";
import { failed } from "../failed.ts";
import { limited } from "../limited.ts";
import { SettingError } from "../../setting-error.ts";
import { Slots } from "../slots.ts";
import { durationText, startLimit } from "../time-limit.ts";
import { commandOf } from "./command.ts";
import type { ExecConfig } from "./config.ts";
import { failureOf } from "./ending.ts";
import { environmentOf, fixedEnvironment } from "./environment.ts";
import { modeOf, type Mode } from "./modes.ts";
import { Program } from "./program.ts";

interface ExecDeps {
  readonly baseDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const DEFAULTS = {
  timeout: 300_000,
  killGrace: 5_000,
  maxOutput: 16 * 1024 * 1024,
  concurrency: 16,
  maxQueue: 256,
} as const;

/** Throws an Error that says what is wrong with the configuration. */
export async function createExecHandler(config: ExecConfig, deps: ExecDeps): Promise<Handler> {
  const cwd = resolve(deps.baseDir, config.cwd ?? ".");
  const found = await stat(cwd).catch(() => undefined);
  if (!found?.isDirectory())
    throw new SettingError("cwd", `no directory ${config.cwd ?? deps.baseDir}`);
  return new ExecHandler(config, cwd, deps);
}

class ExecHandler implements Handler {
  readonly #mode: Mode;
  readonly #slots: Slots;
  readonly #name: string;
  readonly #timeout: number;
  readonly #maxOutput: number;
  readonly #start: (turn: Turn, input: string) => Program;
  readonly #programs = new Set<Program>();
  #isClosed = false;

  constructor(config: ExecConfig, cwd: string, deps: ExecDeps) {
    const { timeout, killGrace, maxOutput, concurrency, maxQueue } = { ...DEFAULTS, ...config };
    const { name, file, args } = commandOf(config);
    const fixed = fixedEnvironment(deps.env, config.env);
    this.#mode = modeOf(config);
    this.#slots = new Slots(concurrency, maxQueue);
    this.#name = name;
    this.#timeout = timeout;
    this.#maxOutput = maxOutput;
    this.#start = (turn, input) =>
      new Program({ file, args, cwd, env: environmentOf(turn, fixed), input, killGrace });
  }

  async *handle(turn: Turn): AsyncGenerator<HandlerEvent> {
    const input = this.#mode.inputOf(turn);
    if (!(await this.#slots.take(turn.signal))) return;
    try {
      yield* this.#run(turn, input);
    } finally {
      this.#slots.release();
    }
  }

  /** Also ends what programs that have ended left behind. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#programs].map(async (program) => {
        await program.abandon();
        await program.gone;
      }),
    );
  }

  async *#run(turn: Turn, input: string): AsyncGenerator<HandlerEvent> {
    if (turn.signal.aborted) return;
    if (this.#isClosed) return yield failed("the agent has been stopped");
    const program = this.#start(turn, input);
    this.#programs.add(program);
    void program.gone.then(() => this.#programs.delete(program));
    const limit = startLimit(this.#timeout, turn.signal, () => program.stop());
    const failure = async () => {
      const ending = await program.ended;
      if (limit.isPassed())
        return `${this.#name} did not end within ${durationText(this.#timeout)}`;
      return failureOf(ending, this.#name, program.complaint());
    };
    try {
      yield* this.#eventsOf(program, turn, failure);
    } finally {
      limit.lift();
      await program.abandon();
    }
  }

  /** After an abort nothing is told any more: what a program writes while it is being stopped is not its answer. */
  async *#eventsOf(
    program: Program,
    turn: Turn,
    failure: () => Promise<string | undefined>,
  ): AsyncGenerator<HandlerEvent> {
    yield* this.#mode.opening;
    const output = limited(program.output(), this.#maxOutput);
    const succeeded = async () => (await failure()) === undefined;
    try {
      for await (const event of this.#mode.eventsOf(output, turn, succeeded)) {
        if (turn.signal.aborted) return;
        yield event;
      }
    } catch (thrown) {
      // The last line of a program that broke off may be half a line: why it broke off says more.
      if (!program.hasSaidAll() || (await succeeded())) throw thrown;
    }
    const reason = await failure();
    if (reason !== undefined && !turn.signal.aborted) yield failed(reason);
  }
}
