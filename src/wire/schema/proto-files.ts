/** Finds .proto files and what they import. */
import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import protobuf from "protobufjs";
import { pathOf, PROTO_ROOT } from "./shapes.ts";

/** Our own options say what requests need, to this gateway alone: nobody else is told of them. */
const OWN_OPTIONS = "gateway/options.proto";

export interface ProtoFile {
  /** What imports call it: `google/protobuf/empty.proto`. */
  readonly name: string;
  readonly package: string;
  readonly imports: readonly string[];
  /** The messages, enums and services that it declares, resolved. */
  readonly declared: readonly protobuf.ReflectionObject[];
  /** A well-known type, of which protobufjs has no file but its own notation, in camelCase. */
  readonly isBundled: boolean;
}

/** A file, given by its path, and all that it imports but our own options, each before those that import it. */
export function protoFilesOf(path: string): readonly ProtoFile[] {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => (target === path ? path : pathOf(target));
  root.loadSync(path, { keepCase: true }).resolveAll();
  const files = new Map<string, ProtoFile>();
  collect(nameOf(path), path, root, files);
  return [...files.values()];
}

function collect(
  name: string,
  path: string,
  root: protobuf.Root,
  files: Map<string, ProtoFile>,
): void {
  if (files.has(name)) return;
  const file = bundledFile(name, root) ?? parsedFile(name, path, root);
  for (const imported of file.imports) collect(imported, pathOf(imported), root, files);
  files.set(name, file);
}

function bundledFile(name: string, root: protobuf.Root): ProtoFile | undefined {
  const bundled = protobuf.common.get(name);
  if (bundled === null) return undefined;
  const within = protobuf.Root.fromJSON(bundled).lookup("google.protobuf") as protobuf.Namespace;
  const declared = within.nestedArray.flatMap(({ fullName }) => root.lookup(fullName) ?? []);
  return { name, package: "google.protobuf", imports: [], declared, isBundled: true };
}

function parsedFile(name: string, path: string, root: protobuf.Root): ProtoFile {
  // The root holds all files as one and does not keep what each of them imports.
  const parsed = protobuf.parse(readFileSync(path, "utf8"), new protobuf.Root());
  const packageName = parsed.package ?? "";
  const within = root.lookup(packageName) as protobuf.Namespace;
  return {
    name,
    package: packageName,
    imports: parsed.imports?.filter((imported) => imported !== OWN_OPTIONS) ?? [],
    declared: within.nestedArray.filter(({ filename }) => filename === path),
    isBundled: false,
  };
}

/** Relative to proto/; a file of a package of npm is called after its protobuf package, as is the custom. */
function nameOf(path: string): string {
  const name = relative(PROTO_ROOT, path);
  if (!name.startsWith("..")) return name;
  const { package: packageName = "" } = protobuf.parse(readFileSync(path, "utf8"));
  return `${packageName.replaceAll(".", "/")}/${basename(path)}`;
}
