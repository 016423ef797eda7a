/** Reads who imports whom from source text and says what a table of rules forbids. */
import { posix } from "node:path";

/** One row: what the files of a folder (or one file) may import. */
export interface ImportRule {
  readonly folder: string;
  /** Folders or files of ours, beside its own; "everything" for where the wiring is. */
  readonly ours: readonly string[];
  /** npm packages; "node:" stands for all builtins. */
  readonly outside: readonly string[];
}

/** Source text by path, such as `src/core/ports/log.ts`. */
export type SourceTree = ReadonlyMap<string, string>;

interface Import {
  readonly file: string;
  readonly specifier: string;
}

/** Every violation in words, sorted; empty when the tree keeps the rules. */
export function violationsOf(tree: SourceTree, rules: readonly ImportRule[]): string[] {
  const imports = [...tree].flatMap(([file, text]) => importsOf(file, text));
  return [
    ...[...tree.keys()].flatMap((file) => unlisted(file, rules)),
    ...imports.flatMap((found) => forbidden(found, tree, rules)),
    ...[...tree].flatMap(([file, text]) => exportFaults(file, text)),
    ...cyclesOf(imports),
  ].sort();
}

/** What a row allows and none of its files imports, in words, sorted. */
export function unusedPermissions(tree: SourceTree, rules: readonly ImportRule[]): string[] {
  const imports = [...tree].flatMap(([file, text]) => importsOf(file, text));
  return rules
    .flatMap((rule) => {
      const own = imports.filter(({ file }) => ruleOf(idOf(file), rules) === rule);
      const local = own.filter(({ specifier }) => specifier.startsWith("."));
      const packages = own.map(({ specifier }) => packageOf(specifier));
      const unused = [
        ...rule.ours.filter(
          (entry) =>
            entry !== "everything" &&
            !local.some((found) => isWithin(idOf(targetOf(found)), entry)),
        ),
        ...rule.outside.filter((name) => !packages.includes(name)),
      ];
      return unused.map((entry) => `${rule.folder} does not import ${entry}`);
    })
    .sort();
}

/** The packages that more than one row may import, without the builtins. */
export function sharedPackages(rules: readonly ImportRule[]): string[] {
  const listed = rules.flatMap((rule) => rule.outside).filter((name) => name !== "node:");
  return [...new Set(listed.filter((name, index) => listed.indexOf(name) !== index))].sort();
}

function importsOf(file: string, text: string): Import[] {
  const patterns = [
    /^[ \t]*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/gm,
    /^[ \t]*import\s*["']([^"']+)["']/gm,
    /\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]/g,
  ];
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({ file, specifier: match[1] ?? "" })),
  );
}

function unlisted(file: string, rules: readonly ImportRule[]): string[] {
  return ruleOf(idOf(file), rules) ? [] : [`${file}: its folder is not in the table`];
}

function forbidden(found: Import, tree: SourceTree, rules: readonly ImportRule[]): string[] {
  const { file, specifier } = found;
  const rule = ruleOf(idOf(file), rules);
  if (!rule) return [];
  if (!specifier.startsWith("."))
    return rule.outside.includes(packageOf(specifier))
      ? []
      : [`${file}: ${rule.folder} may not import ${packageOf(specifier)} (${specifier})`];
  const target = targetOf(found);
  if (!tree.has(target)) return [`${file}: ${specifier} is not a source file`];
  const isAllowed = [rule.folder, ...rule.ours].some(
    (entry) => entry === "everything" || isWithin(idOf(target), entry),
  );
  return isAllowed ? [] : [`${file}: ${rule.folder} may not import ${idOf(target)}`];
}

function exportFaults(file: string, text: string): string[] {
  const faults: string[] = [];
  if (/^export default\b|\bas default\b/m.test(text)) faults.push(`${file}: default export`);
  const isBarrel =
    /^export \*/m.test(text) ||
    (posix.basename(file) === "index.ts" && /^export (?:type )?\{[^}]*\} from/m.test(text));
  if (isBarrel) faults.push(`${file}: re-exports like a barrel`);
  return faults;
}

/** Each cycle once, as the path from its alphabetically first file back to it. */
function cyclesOf(imports: readonly Import[]): string[] {
  const edges = new Map<string, string[]>();
  for (const found of imports.filter(({ specifier }) => specifier.startsWith(".")))
    edges.set(found.file, [...(edges.get(found.file) ?? []), targetOf(found)]);
  const cycles = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.add(cycleText(path.slice(start)));
    if (start >= 0 || done.has(file)) return;
    for (const target of edges.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return [...cycles];
}

function cycleText(files: readonly string[]): string {
  const first = files.indexOf([...files].sort()[0] ?? "");
  const ring = [...files.slice(first), ...files.slice(0, first)];
  return `cycle: ${[...ring, ...ring.slice(0, 1)].join(" → ")}`;
}

/** The row with the longest name that the file is in. */
function ruleOf(id: string, rules: readonly ImportRule[]): ImportRule | undefined {
  return rules
    .filter((rule) => isWithin(id, rule.folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
}

function isWithin(id: string, entry: string): boolean {
  return id === entry || id.startsWith(`${entry}/`);
}

function targetOf({ file, specifier }: Import): string {
  return posix.join(posix.dirname(file), specifier);
}

function idOf(file: string): string {
  return file.replace(/^src\//, "").replace(/\.ts$/, "");
}

function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return "node:";
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
