/** Finds a module's functions. */
import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { tsImport } from "tsx/esm/api";
import type { Turn } from "../../core/ports/handler.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { isFields, type Fields } from "../fields.ts";
import type { ModuleConfig } from "./config.ts";

export interface ModuleFunctions {
  readonly handle: (turn: Turn) => unknown;
  readonly cancel: ((turn: Turn, metadata: JsonObject | undefined) => unknown) | undefined;
  readonly close: (() => unknown) | undefined;
}

/** Throws an Error that names the path as it is configured, and what is missing. */
export async function loadModule(config: ModuleConfig, baseDir: string): Promise<ModuleFunctions> {
  const { path } = config;
  const exported = await importFile(path, baseDir);
  const handle = functionOf(exported, path, config.export ?? handleNameOf(exported));
  if (handle === undefined) {
    const wanted =
      config.export === undefined
        ? "default export or export `handle`"
        : `export \`${config.export}\``;
    throw new Error(`module ${path} has no ${wanted} that is a function`);
  }
  return {
    handle,
    cancel: functionOf(exported, path, "cancel"),
    close: functionOf(exported, path, "close"),
  };
}

async function importFile(path: string, baseDir: string): Promise<Fields> {
  const file = resolve(baseDir, path);
  await access(file).catch((cause: unknown) => {
    throw new Error(`no module ${path}`, { cause });
  });
  try {
    return exportsOf(await load(file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`module ${path} cannot be loaded: ${why}`, { cause });
  }
}

async function load(file: string): Promise<unknown> {
  const url = pathToFileURL(file).href;
  return /\.[cm]?ts$/.test(file) ? tsImport(url, import.meta.url) : import(url);
}

/** Of a CommonJS module, the exports are those of its default export. */
function exportsOf(loaded: unknown): Fields {
  const exported: Fields = isFields(loaded) ? loaded : {};
  const inner = exported["default"];
  return isFields(inner) && ("default" in inner || "handle" in inner)
    ? { ...exported, ...inner }
    : exported;
}

function handleNameOf(exported: Fields): string {
  return typeof exported["default"] === "function" ? "default" : "handle";
}

function functionOf(
  exported: Fields,
  path: string,
  name: string,
): ((...inputs: unknown[]) => unknown) | undefined {
  const found = exported[name];
  if (found === undefined) return undefined;
  if (typeof found !== "function")
    throw new Error(`module ${path}: its export \`${name}\` is no function`);
  return (...inputs) => Reflect.apply(found, undefined, inputs) as unknown;
}
