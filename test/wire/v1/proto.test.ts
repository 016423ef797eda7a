import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadSync } from "@grpc/proto-loader";
import { PROTO_ROOT } from "../../../src/wire/schema/shapes.ts";
import { v1 } from "../../../src/wire/v1/index.ts";
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
  readFileSync(new URL("../a2a-1.0.json", import.meta.url), "utf8"),
) as Published;
const ours = tableOf("a2a/v1/a2a.proto", "lf.a2a.v1");

test("the protobuf has the published enums and messages, field by field", () => {
  assert.deepEqual(ours.enums, published.enums);
  assert.deepEqual(Object.keys(ours.messages).sort(), Object.keys(published.messages).sort());
  for (const [name, fields] of Object.entries(published.messages))
    assert.deepEqual(ours.messages[name], fields, name);
});

test("the protobuf has the published service, method by method", () => {
  const methods = Object.fromEntries(
    Object.entries(published.service.methods).map(([name, { http: _http, ...row }]) => [name, row]),
  );
  assert.deepEqual(ours.service, { name: published.service.name, methods });
});

test("every method of the service is an operation, and has its published routes", () => {
  assert.deepEqual(
    [...v1.grpc.methods.keys()].sort(),
    Object.keys(published.service.methods).sort(),
  );
  for (const [name, { http }] of Object.entries(published.service.methods)) {
    const operation = v1.grpc.methods.get(name);
    const served = v1.rest.routes
      .filter((route) => route.operation === operation)
      .map((route) => `${route.method} ${templateOf(route.path)}`);
    for (const { get, post, delete: remove } of http) {
      if (get !== undefined) assert.ok(served.includes(`GET ${get}`), `GET ${get}`);
      if (post !== undefined) assert.ok(served.includes(`POST ${post}`), `POST ${post}`);
      if (remove !== undefined) assert.ok(served.includes(`DELETE ${remove}`), `DELETE ${remove}`);
    }
  }
});

test("a subscription may be asked for with POST too", () => {
  const methods = v1.rest.routes
    .filter((route) => route.operation === "subscribeToTask")
    .map((route) => route.method);
  assert.deepEqual(methods.sort(), ["GET", "POST"]);
});

test("proto-loader reads the file with its folder as include path", () => {
  const definition = loadSync(v1.grpc.proto, { includeDirs: [PROTO_ROOT] });
  assert.ok(v1.grpc.service in definition);
});

function templateOf(path: string): string {
  return path
    .replace(/\\:/g, "\0")
    .replace(":taskId", "{task_id=*}")
    .replace(":id", "{id=*}")
    .replace("\0", ":");
}
