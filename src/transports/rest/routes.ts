/** The paths of every version: below an agent, at the root for the primary agent, and below a tenant. */
import { Router } from "@koa/router";
import type { Dialect, Route } from "../../wire/dialect.ts";
import type { BoundDialect, Endpoint } from "../../wire/endpoint.ts";
import { decodedOf } from "../http/address.ts";

export interface RouteTarget {
  readonly bound: BoundDialect;
  readonly route: Route;
  readonly endpoint: Endpoint;
}

export interface Found {
  readonly target: RouteTarget;
  /** The agent that the path names, if it names one. */
  readonly agent: string | undefined;
  readonly params: Readonly<Record<string, string>>;
}

export interface Routes {
  /** What answers a request; undefined where nothing does. */
  find(method: string, path: string): Found | undefined;
  /**
   * The methods that a path takes; none where it is no path of ours. What is done with a task is no task whose id ends
   * so: `/tasks/t:cancel` takes POST alone.
   */
  allowed(path: string): readonly string[];
  /** The dialect whose paths all begin as this one does; undefined where that says nothing. */
  dialectOf(path: string): Dialect | undefined;
}

/** A path below an agent, as it may be meant: the agent that it names, and the path relative to the agent's base. */
interface Reading {
  readonly agent: string | undefined;
  readonly path: string;
}

type Table = ReadonlyMap<string, (path: string) => Omit<Found, "agent"> | undefined>;

export function routesOf(
  dialects: readonly BoundDialect[],
  isAgent: (id: string) => boolean,
): Routes {
  const table = tableOf(dialects);
  const prefixes = dialects.map(({ dialect }) => ({ dialect, prefix: prefixOf(dialect) }));
  const readingsOf = (path: string): readonly Reading[] => readings(path, isAgent);
  return {
    find(method, path) {
      const match = table.get(method);
      if (match === undefined) return undefined;
      for (const { agent, path: relative } of readingsOf(path)) {
        const found = match(relative);
        if (found !== undefined) return { agent, params: found.params, target: found.target };
      }
      return undefined;
    },
    allowed(path) {
      const meant = readingsOf(path);
      const found = [...table].flatMap(([method, match]) => {
        const lengths = meant.flatMap((reading) => {
          const target = match(reading.path)?.target;
          return target === undefined ? [] : [fixedLength(target.route.path)];
        });
        return lengths.length === 0 ? [] : [{ method, length: Math.max(...lengths) }];
      });
      const longest = Math.max(...found.map(({ length }) => length));
      return found.flatMap(({ method, length }) => (length === longest ? [method] : []));
    },
    dialectOf(path) {
      const meant = readingsOf(path);
      const found = prefixes.find(
        ({ prefix }) =>
          prefix !== undefined && meant.some((reading) => `${reading.path}/`.startsWith(prefix)),
      );
      return found?.dialect;
    },
  };
}

/** A path at the root is the primary agent's, or below the tenant that its first segment names. */
function readings(path: string, isAgent: (id: string) => boolean): readonly Reading[] {
  if (path.startsWith("/a2a/")) return belowAgent(path.slice("/a2a".length));
  const below = belowAgent(path).filter(({ agent }) => agent !== undefined && isAgent(agent));
  return [{ agent: undefined, path }, ...below];
}

/** The first segment of all paths of a version, such as `/v1/`, where they have the same one. */
function prefixOf({ rest }: Dialect): string | undefined {
  const [first = "", ...others] = rest.routes.map(({ path }) => path.split("/", 2).join("/"));
  return others.every((each) => each === first) && first !== "" ? `${first}/` : undefined;
}

function belowAgent(path: string): readonly Reading[] {
  const end = path.indexOf("/", 1);
  if (end < 2) return [];
  const segment = path.slice(1, end);
  return [{ agent: decodedOf(segment) ?? segment, path: path.slice(end) }];
}

/**
 * One matcher per method: what cannot answer a request is not compared with its path. The router compiles and compares;
 * what it finds the door runs itself, without the chain of middlewares that the router would make for each request.
 */
function tableOf(dialects: readonly BoundDialect[]): Table {
  const targets = dialects.flatMap(targetsOf).toSorted(byFixedText);
  const methods = new Set<string>(targets.map(({ route }) => route.method));
  const table = new Map(
    [...methods].map((method) => [
      method,
      matcherOf(targets.filter(({ route }) => route.method === method)),
    ]),
  );
  const get = table.get("GET");
  return get === undefined ? table : table.set("HEAD", get);
}

function targetsOf(bound: BoundDialect): readonly RouteTarget[] {
  return bound.dialect.rest.routes.map((route) => {
    const endpoint = bound.rest[route.operation];
    if (endpoint === undefined) throw new Error(`${route.path} has no codec`);
    return { bound, route, endpoint };
  });
}

/** Fixed text wins over parameters, `/tasks/:id\:subscribe` over `/tasks/:id`, however a dialect lists them. */
function byFixedText(a: RouteTarget, b: RouteTarget): number {
  return fixedLength(b.route.path) - fixedLength(a.route.path);
}

function fixedLength(path: string): number {
  return path.replace(/\/:\w+/g, "/").length;
}

function matcherOf(
  targets: readonly RouteTarget[],
): (path: string) => Omit<Found, "agent"> | undefined {
  const router = new Router();
  for (const { route } of targets) router.register(route.path, [route.method], () => undefined);
  return (path) => {
    for (const [index, layer] of router.stack.entries()) {
      const target = targets[index];
      if (target !== undefined && layer.match(path))
        return { target, params: layer.params(path, layer.captures(path)) };
    }
    return undefined;
  };
}
