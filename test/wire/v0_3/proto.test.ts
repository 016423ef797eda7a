import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadSync } from "@grpc/proto-loader";
import { PROTO_ROOT } from "../../../src/wire/schema/shapes.ts";
import { v0_3 } from "../../../src/wire/v0_3/index.ts";
import { tableOf, type DescriptorTable } from "../descriptor-table.ts";

interface Binding {
  readonly get?: string;
  readonly post?: string;
  readonly delete?: string;
}

interface Published extends DescriptorTable {
  service: {
    name: string;
    methods: Record<string, DescriptorTable["service"]["methods"][string] & { http: Binding[] }>;
  };
}

const published = JSON.parse(
  readFileSync(new URL("../a2a-0.3.json", import.meta.url), "utf8"),
) as Published;
const ours = tableOf("a2a/v0_3/a2a.proto", "a2a.v1");
const dialect = v0_3({ grpcBlockingDefault: true });

test("the protobuf has the published enums and messages, field by field", () => {
  assert.deepEqual(ours.enums, published.enums);
  assert.deepEqual(unmarked(ours.messages), unmarked(published.messages));
});

test("what is published as required is required, but the id of a new push config", () => {
  const missing = requiredFields(published.messages).filter(
    (field) => !requiredFields(ours.messages).includes(field),
  );
  assert.deepEqual(missing, ["CreateTaskPushNotificationConfigRequest.config_id"]);
});

test("the protobuf has the published service, method by method", () => {
  const methods = Object.fromEntries(
    Object.entries(published.service.methods).map(([name, { http: _http, ...row }]) => [name, row]),
  );
  assert.deepEqual(ours.service, { name: published.service.name, methods });
});

test("every method of the service is an operation, and has its published routes", () => {
  assert.deepEqual(
    [...dialect.grpc.methods.keys()].sort(),
    Object.keys(published.service.methods).sort(),
  );
  for (const [name, { http }] of Object.entries(published.service.methods)) {
    const operation = dialect.grpc.methods.get(name);
    const served = dialect.rest.routes
      .filter((route) => route.operation === operation)
      .map((route) => `${route.method} ${servedPath(route.path)}`);
    for (const { get, post, delete: remove } of http) {
      const paths = { GET: get, POST: post, DELETE: remove };
      for (const [method, path] of Object.entries(paths))
        if (path !== undefined)
          assert.ok(served.includes(`${method} ${publishedPath(path)}`), `${method} ${path}`);
    }
  }
});

test("every operation has a codec on both bindings, but the listing of tasks", () => {
  const operations = [...new Set(dialect.grpc.methods.values())].sort();
  assert.deepEqual(Object.keys(dialect.grpc.codecs).sort(), operations);
  assert.deepEqual(Object.keys(dialect.rest.codecs).sort(), operations);
  assert.equal(operations.length, 10);
});

test("a subscription may be asked for with POST too", () => {
  const methods = dialect.rest.routes
    .filter((route) => route.operation === "subscribeToTask")
    .map((route) => route.method);
  assert.deepEqual(methods.sort(), ["GET", "POST"]);
});

test("proto-loader reads the file with its folder as include path", () => {
  const definition = loadSync(dialect.grpc.proto, { includeDirs: [PROTO_ROOT] });
  assert.ok(dialect.grpc.service in definition);
});

type Messages = DescriptorTable["messages"];

/** The fields without what says that they are required: we ask for more than is published. */
function unmarked(messages: Messages): Messages {
  return Object.fromEntries(
    Object.entries(messages).map(([name, fields]) => [
      name,
      Object.fromEntries(
        Object.entries(fields).map(([field, { required: _, ...row }]) => [field, row]),
      ),
    ]),
  );
}

function requiredFields(messages: Messages): readonly string[] {
  return Object.entries(messages).flatMap(([name, fields]) =>
    Object.entries(fields).flatMap(([field, { required }]) =>
      required === true ? [`${name}.${field}`] : [],
    ),
  );
}

/** A published path: of a template only what it stands for. */
function publishedPath(path: string): string {
  return path.replace(/\{\w+=([^}]*)\}/g, "$1");
}

/** A path of ours with a star for each parameter. */
function servedPath(path: string): string {
  return path.replace(/\\:/g, "\0").replace(/:\w+/g, "*").replace("\0", ":");
}
