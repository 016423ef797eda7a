/** Settings that the environment may set: they win over the file. */
import { resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's own. Nothing else reads it: whoever needs it is handed it. */
export const ENVIRONMENT: Environment = process.env;

/** A setting from outside the file: where it goes, what it is, and what to call its origin in an error. */
export interface Override {
  readonly path: readonly string[];
  readonly value: string;
  readonly origin: string;
}

const IN_MEMORY = ":memory:";

const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  A2A_GATEWAY_LISTEN: ["listen"],
  A2A_GATEWAY_GRPC_LISTEN: ["grpcListen"],
  A2A_GATEWAY_OPS_LISTEN: ["ops", "listen"],
  A2A_GATEWAY_PUBLIC_URL: ["publicUrl"],
  A2A_GATEWAY_DATABASE: ["database"],
  A2A_GATEWAY_LOG_LEVEL: ["log", "level"],
  A2A_GATEWAY_LOG_REQUESTS: ["log", "requests"],
};

export const VARIABLE_NAMES = Object.keys(VARIABLES);

/** The variable that sets this too, given as `ops.listen`. */
export function variableOf(setting: string): string | undefined {
  return VARIABLE_NAMES.find((name) => VARIABLES[name]?.join(".") === setting);
}

/** Variables that look as if they set something, but do not. */
export function unknownVariables(env: Environment): readonly string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith(PREFIX) &&
      !Object.hasOwn(VARIABLES, name) &&
      !OF_COMMANDS.has(name) &&
      !OF_ORCHESTRATORS.test(name),
  );
}

const PREFIX = "A2A_GATEWAY_";

/** What the commands for operators read. */
const OF_COMMANDS: ReadonlySet<string> = new Set(["A2A_GATEWAY_ADMIN", "A2A_GATEWAY_ADMIN_TOKEN"]);

/** What Kubernetes tells of a service that is called a2a-gateway is nobody's mistake. */
const OF_ORCHESTRATORS =
  /^A2A_GATEWAY_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_[A-Z]+(?:_(?:PROTO|PORT|ADDR))?)?)$/;

export function overridesOf(env: Environment): readonly Override[] {
  const overrides: Override[] = [];
  for (const [origin, path] of Object.entries(VARIABLES)) {
    const value = env[origin];
    if (value === undefined || value === "") continue;
    overrides.push({ path, origin, value: path[0] === "database" ? fromHere(value) : value });
  }
  return overrides;
}

/** The file of a database, absolute: a path in the environment starts where the process runs, one in a file beside the file. */
export function databaseFile(database: string, baseDir: string): string {
  return database === IN_MEMORY ? database : resolve(baseDir, database);
}

function fromHere(database: string): string {
  return databaseFile(database, process.cwd());
}
