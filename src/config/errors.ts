/** One thing that is wrong with a configuration, and where. */
export interface Problem {
  /** `config.yaml:12:14`, or the name of a variable or an option. */
  readonly where: string;
  /** `agents.echo.exec.timeout`; empty where the whole is meant. */
  readonly path: string;
  readonly what: string;
}

/** A configuration that cannot be used: every problem at once, one a line. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map(lineOf).join("\n"), options);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

function lineOf({ where, path, what }: Problem): string {
  return [where, path, what].filter((part) => part !== "").join(": ");
}
