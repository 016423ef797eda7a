/** The OpenAPI document of an agent's HTTP+JSON doors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { dialectsOf } from "../../src/wire/index.ts";
import { cardsFrom } from "./support.ts";

interface Document {
  readonly info: { readonly title: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security?: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const TEXT = `
listen: 127.0.0.1:8080
primary: echo
agents:
  echo: { name: Echo, description: d, static: { otherwise: { message: hi } } }
  new: { name: New, description: d, v03: [], static: { otherwise: { message: hi } } }
`;

function documentOf(agent?: string): Document {
  const served = cardsFrom({ text: TEXT })().openApi({ agent, origin: undefined });
  assert.ok(served);
  return JSON.parse(served.body) as Document;
}

test("is OpenAPI 3.1, by the schema of OpenAPI", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...documentOf() });
  assert.deepEqual([valid, errors], [true, undefined]);
  assert.equal(validator.version, "3.1");
});

test("has every route of every version, and nothing else", () => {
  const { paths } = documentOf();
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = dialectsOf({ v03: { grpcBlockingDefault: true } }).flatMap(({ rest }) =>
    rest.routes.map(
      ({ method, path }) =>
        `${method} ${path
          .replaceAll("\\:", "%")
          .replace(/:(\w+)/g, "{$1}")
          .replaceAll("%", ":")}`,
    ),
  );
  assert.deepEqual(described.toSorted(), routes.toSorted());
});

test("refers to nothing that is not there, and names each operation once", () => {
  const { paths, components } = documentOf();
  const text = JSON.stringify({ paths, components });
  for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    assert.ok(components.schemas[name], name);
  const names = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.includes("sendMessage") && names.includes("sendMessage_0_3"));
});

test("says where the agent is, and leaves out the versions that it does not speak", () => {
  const { info, servers, paths } = documentOf("new");
  assert.equal(info.title, "New");
  assert.deepEqual(servers, [{ url: "http://127.0.0.1:8080/a2a/new" }]);
  assert.ok(paths["/message:send"]);
  assert.equal(paths["/v1/message:send"], undefined);
});

test("is the same for the same agent, and not there for nobody's id", () => {
  const cards = cardsFrom({ text: TEXT })();
  const request = { agent: undefined, origin: undefined };
  assert.equal(cards.openApi(request), cards.openApi(request));
  assert.equal(cards.openApi({ ...request, agent: "nobody" }), undefined);
});
