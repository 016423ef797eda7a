/** What zod found, as sentences that name the place, what was expected and what is there. */
import type { z } from "zod";
import type { Override } from "./environment.ts";
import type { Problem } from "./errors.ts";
import { keysAt } from "./schema-walk.ts";
import { pathText, type Path } from "./path.ts";
import type { Source } from "./source.ts";
import { nearest } from "./suggest.ts";

type Issue = z.core.$ZodIssue;

export interface Checked {
  readonly schema: z.core.$ZodType;
  readonly source: Source;
  readonly overrides: readonly Override[];
  /** The values that were checked: the file's with the overrides in place. */
  readonly value: unknown;
}

export function problemsOf(issues: readonly Issue[], checked: Checked): readonly Problem[] {
  return issues.flatMap((issue) => problemsOfIssue(issue, issue.path, checked));
}

function problemsOfIssue(issue: Issue, path: Path, checked: Checked): readonly Problem[] {
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, path, checked));
    case "invalid_union":
      return alternative(issue, path, checked);
    case "invalid_key":
      return [problem(issue.issues[0]?.message ?? issue.message, path, checked, "key")];
    case "invalid_type":
    case "invalid_value":
    case "invalid_format":
    case "too_small":
    case "too_big":
    case "not_multiple_of":
    case "invalid_element":
    case "custom":
      return [problem(issue.message, path, checked, "value")];
  }
}

function unknownKey(key: string, path: Path, { schema, source }: Checked): Problem {
  const known = keysAt(schema, path);
  const near = nearest(key, known);
  const hint =
    near === undefined
      ? `expected one of ${known.join(", ")}`
      : `did you mean ${JSON.stringify(near)}?`;
  return {
    where: source.whereOf([...path, key], "key"),
    path: pathText([...path, key]),
    what: `unknown key, ${hint}`,
  };
}

/** Of several alternatives, the one that the writer came closest to tells what is wrong; else what the union expects. */
function alternative(
  issue: Extract<Issue, { code: "invalid_union" }>,
  path: Path,
  checked: Checked,
): readonly Problem[] {
  const value = at(checked.value, path);
  const near = issue.errors
    .filter((issues) => !issues.some((each) => isOfAnotherKind(each, value)))
    .sort((a, b) => a.length - b.length)[0];
  if (near === undefined) return [problem(issue.message, path, checked, "value")];
  return near.flatMap((each) => problemsOfIssue(each, [...path, ...each.path], checked));
}

/** The value is no mapping, list or text as this alternative wants one, or lacks the key that marks the alternative. */
function isOfAnotherKind(issue: Issue, value: unknown): boolean {
  if (issue.path.length > 0) return issue.path.length === 1 && at(value, issue.path) === undefined;
  if (issue.code === "invalid_union")
    return issue.errors.every((issues) => issues.some((each) => isOfAnotherKind(each, value)));
  return issue.code === "invalid_type" || issue.code === "invalid_value";
}

function problem(message: string, path: Path, checked: Checked, part: "key" | "value"): Problem {
  const override = checked.overrides.find((each) => pathText(each.path) === pathText(path));
  const found = part === "key" ? path.at(-1) : at(checked.value, path);
  const what = !message.startsWith("expected ")
    ? message
    : found === undefined
      ? `missing, ${message}`
      : part === "value" && isSecret(path, found)
        ? message
        : `${message}, got ${shown(checked.source.writtenAt(path) ?? found)}`;
  return {
    where: override?.origin ?? checked.source.whereOf(path, part),
    path: pathText(path),
    what,
  };
}

/** Texts at or below these keys are for the gateway alone, and are not repeated. */
const SECRET: ReadonlySet<PropertyKey> = new Set([
  "auth",
  "headers",
  "token",
  "encryptionKeys",
  "clientSecret",
  "env",
]);

function isSecret(path: Path, value: unknown): boolean {
  return typeof value === "string" && path.some((key) => SECRET.has(key));
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, segment) =>
      typeof inner === "object" && inner !== null ? Reflect.get(inner, segment) : undefined,
    value,
  );
}

function shown(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return keysShown(Object.keys(value));
  const text = withoutUser(JSON.stringify(value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** A URL may hold a password. */
function withoutUser(text: string): string {
  return text.replace(/(\w:\/\/)[^/?#"]*@/, "$1…@");
}

function keysShown(keys: readonly string[]): string {
  if (keys.length === 0) return "a mapping without keys";
  return `a mapping of ${keys.slice(0, 8).join(", ")}${keys.length > 8 ? ", …" : ""}`;
}
