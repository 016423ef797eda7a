/** A YAML text as plain values that still know where they were written. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";
import type { Environment } from "./environment.ts";
import { ConfigError, type Problem } from "./errors.ts";
import { interpolate } from "./interpolate.ts";
import { pathText, type Path } from "./path.ts";
import { keyText, offsetOf } from "./positions.ts";

export interface Source {
  readonly value: unknown;
  /** Variables that were named but not set, and keys that nothing can have. */
  readonly problems: readonly Problem[];
  /** The keys of the mapping at a path, in the order of the file; none where there is no mapping. */
  keysAt(path: readonly string[]): readonly string[];
  /** `name:line:column` of the value at a path, of its key, or of the nearest thing around it that was written. */
  whereOf(path: Path, part?: "key" | "value"): string;
  /** The value at a path as it stands in the file, variables as variables. */
  written(path: Path): unknown;
  /** The text as it stands in the file where variables were filled in, so that no error shows what they hold. */
  writtenAt(path: Path): string | undefined;
}

/** Throws a ConfigError when the text is not YAML. */
export function readSource(text: string, name: string, env: Environment): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const whereOfOffset = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0)
    throw new ConfigError(
      faults.map(({ pos, message }) => ({
        where: whereOfOffset(pos[0]),
        path: "",
        what: plainMessageOf(message),
      })),
    );

  const filled = fillIn(document, env);
  const value = valueOf(document, name);
  const writtenAt = (path: Path) => filled.originals.get(pathText(path));
  const whereOf = (path: Path, part: "key" | "value" = "value") =>
    whereOfOffset(offsetOf(document, path, part));
  return {
    value,
    written: (path) => writtenIn(valueAt(value, path), path, writtenAt),
    problems: filled.failures.map(({ path, what }) => ({
      where: whereOf(path),
      path: pathText(path),
      what,
    })),
    keysAt: (path) => keysAt(document.toJS({ mapAsMap: true }), path),
    whereOf,
    writtenAt,
  };
}

function plainMessageOf(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function valueOf(document: Document, name: string): unknown {
  try {
    return document.toJS();
  } catch (thrown) {
    // The limit on aliases: a small file that unfolds into a huge one.
    const what = plainMessageOf(thrown instanceof Error ? thrown.message : String(thrown));
    throw new ConfigError([{ where: name, path: "", what }], { cause: thrown });
  }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
}

/** The value with the texts of the file in place of those that they were filled in to. */
function writtenIn(
  value: unknown,
  path: Path,
  writtenAt: (path: Path) => string | undefined,
): unknown {
  const within = (inner: unknown, key: string | number) =>
    writtenIn(inner, [...path, key], writtenAt);
  if (Array.isArray(value)) return value.map(within);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, within(each, key)]));
  return writtenAt(path) ?? value;
}

/** Of values with maps for mappings, which keep their order. */
function keysAt(value: unknown, [key, ...rest]: readonly string[]): readonly string[] {
  if (!(value instanceof Map)) return [];
  if (key === undefined) return [...value.keys()].map(String);
  return keysAt(value.get(key), rest);
}

interface FilledIn {
  readonly originals: Map<string, string>;
  readonly failures: { readonly path: Path; readonly what: string }[];
}

function fillIn(document: Document, env: Environment): FilledIn {
  const filled: FilledIn = { originals: new Map(), failures: [] };
  fillInNode(document.contents, [], env, filled);
  return filled;
}

const NO_KEY = "expected another key: every object has this one";

function fillInNode(node: unknown, path: Path, env: Environment, filled: FilledIn): void {
  if (isMap<Node, Node>(node))
    for (const { key, value } of node.items) {
      const inner = [...path, keyText(key)];
      // Some of those who read it later would pass over it without a word.
      if (keyText(key) === "__proto__") filled.failures.push({ path: inner, what: NO_KEY });
      fillInNode(value, inner, env, filled);
    }
  else if (isSeq<Node>(node))
    for (const [index, item] of node.items.entries())
      fillInNode(item, [...path, index], env, filled);
  else if (isScalar(node) && typeof node.value === "string") {
    const result = interpolate(node.value, env);
    for (const what of result.failures) filled.failures.push({ path, what });
    if (result.text === node.value) return;
    filled.originals.set(pathText(path), node.value);
    node.value = result.text;
  }
}
