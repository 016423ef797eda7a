/** Which definitions may come in while the gateway runs: whoever may call the Admin API is not given the machine. */
import { isAbsolute, normalize, sep } from "node:path";
import { parseAgent } from "../config/load-agent.ts";
import { ConfigError, type Problem } from "../config/errors.ts";
import type { HandlerConfig } from "../handlers/index.ts";
import { AgentControlError, type ControlProblem } from "../core/ports/agent-control.ts";
import type { AddedAgent } from "../core/ports/agent-store.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Definition, Listed } from "./member.ts";

/** The kinds that run nothing on this machine. */
const KINDS: ReadonlySet<HandlerConfig["kind"]> = new Set(["static", "http", "upstream"]);

/** Throws an AgentControlError of the kind `invalid` with every problem. */
export function addedDefinition(id: string, written: unknown): Definition {
  if (!isObject(written)) throw invalid(id, [{ path: "", what: "expected a mapping" }]);
  const config = checked(id, written);
  const { kind } = config.handler;
  const problems = [
    ...(KINDS.has(kind) ? [] : [{ path: kind, what: `agents of the kind ${kind} run programs` }]),
    ...[...filesIn(written["upstream"], ["upstream"]), ...filesIn(written["tls"], ["tls"])]
      .filter(({ file }) => !isBelow(file))
      .map(({ path }) => ({ path, what: OUTSIDE })),
  ];
  if (problems.length > 0) throw invalid(id, problems);
  return { id, origin: "added", config, written };
}

/** What was added earlier, checked again; a definition that can be used no longer is told of, not thrown. */
export function keptDefinition({ id, definition }: AddedAgent): Listed {
  try {
    return addedDefinition(id, definition);
  } catch (thrown) {
    if (!AgentControlError.is(thrown)) throw thrown;
    const problem = lineOf(thrown.problems);
    return { id, origin: "added", config: undefined, written: definition, problem };
  }
}

/** Problems in one line. */
export function lineOf(problems: readonly ControlProblem[]): string {
  return problems.map(({ path, what }) => (path === "" ? what : `${path}: ${what}`)).join("; ");
}

const OUTSIDE = "expected a path below the folder of the configuration";

function checked(id: string, written: JsonObject): Definition["config"] {
  try {
    return parseAgent(id, written);
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw invalid(id, thrown.problems, thrown);
    throw thrown;
  }
}

export function invalid(
  id: string,
  problems: readonly Pick<Problem, "path" | "what">[],
  cause?: unknown,
): AgentControlError {
  const told = problems.map(({ path, what }) => ({ path, what }));
  return new AgentControlError("invalid", `the definition of ${id} cannot be used`, told, {
    cause,
  });
}

interface NamedFile {
  readonly path: string;
  readonly file: string;
}

/** The members that name files: secrets, cards, certificates and keys. */
const FILE_MEMBERS: ReadonlySet<string> = new Set([
  "file",
  "card",
  "ca",
  "cert",
  "key",
  "clientCa",
  "trustedKeys",
]);

function filesIn(value: unknown, path: readonly string[]): readonly NamedFile[] {
  if (Array.isArray(value))
    return value.flatMap((each, at) => filesIn(each, [...path, String(at)]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const inner = [...path, name];
    if (typeof each !== "string") return filesIn(each, inner);
    return FILE_MEMBERS.has(name) ? [{ path: inner.join("."), file: each }] : [];
  });
}

function isBelow(file: string): boolean {
  const path = normalize(file);
  return !isAbsolute(path) && path !== ".." && !path.startsWith(`..${sep}`);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
