/** What the tests of calling agents share: the server's side of each version, and errors as they are compared. */
import assert from "node:assert/strict";
import { A2AError } from "../../../src/protocol/errors.ts";
import { clientDialectOf } from "../../../src/wire/client-dialects.ts";
import type { ClientDialect, ClientHttpRequest } from "../../../src/wire/client.ts";
import type { Dialect, Route } from "../../../src/wire/dialect.ts";
import { dialectsOf } from "../../../src/wire/index.ts";

const [newest, older] = dialectsOf({ v03: { grpcBlockingDefault: false } });
assert.ok(older);

export const servers = { "1.0": newest, "0.3": older } as const;
export const clients = { "1.0": clientOf("1.0"), "0.3": clientOf("0.3") } as const;

function clientOf(version: string): ClientDialect {
  const dialect = clientDialectOf(version);
  assert.ok(dialect);
  return dialect;
}

/** The request as the server's codec takes it, found by its route. */
export function routed({ rest }: Dialect, { method, path, body }: ClientHttpRequest): unknown {
  const url = new URL(path, "http://localhost");
  for (const route of rest.routes) {
    const match = route.method === method ? patternOf(route).exec(url.pathname) : null;
    if (match === null) continue;
    const params = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]),
    );
    const input = {
      params,
      query: url.searchParams,
      body: body === undefined ? undefined : (JSON.parse(body) as unknown),
    };
    return route.wireOf(input);
  }
  throw new assert.AssertionError({ message: `no route for ${method} ${path}` });
}

function patternOf({ path }: Route): RegExp {
  const pattern = path.replaceAll("\\:", "%colon").replace(/:(\w+)/g, "(?<$1>[^/]+)");
  return new RegExp(`^${pattern.replaceAll("%colon", ":")}$`);
}

/** Reason and message of the error that `act` throws. */
export function failureOf(act: () => unknown): string {
  try {
    act();
  } catch (thrown) {
    assert.ok(A2AError.is(thrown), String(thrown));
    return told(thrown);
  }
  throw new assert.AssertionError({ message: "nothing was thrown" });
}

export function told(error: A2AError | undefined): string {
  assert.ok(error);
  return `${error.reason}: ${error.message}`;
}
