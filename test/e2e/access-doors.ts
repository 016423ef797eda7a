/** Every door, made from what the dialects list. */
import assert from "node:assert/strict";
import { Client, credentials, Metadata, type ChannelCredentials } from "@grpc/grpc-js";
import { loadSync, type ServiceDefinition } from "@grpc/proto-loader";
import type { OperationName } from "../../src/protocol/service.ts";
import type { Dialect, Route } from "../../src/wire/dialect.ts";
import { dialectsOf } from "../../src/wire/index.ts";
import { PROTO_ROOT } from "../../src/wire/schema/shapes.ts";
import type { HttpTls } from "../support/http-client.ts";
import { grpcAnswer, httpAnswer, type Answer } from "./access-answers.ts";
import { SPELLINGS, type Asked } from "./access-requests.ts";

export type Headers = Readonly<Record<string, string>>;

/** One way to call an operation on a door: HTTP+JSON may have several. */
export type Way = (asked: Asked, headers: Headers) => Promise<Answer>;

export interface AccessDoor {
  readonly name: string;
  readonly version: string;
  /** The ways to each operation that the door has. */
  readonly ways: ReadonlyMap<OperationName, readonly Way[]>;
  close(): void;
}

const DIALECTS = dialectsOf({ v03: { grpcBlockingDefault: true } });

/** Where a gateway is, and how it is reached. */
export interface Place {
  readonly port: number;
  readonly tls?: HttpTls;
}

/** The doors of an agent, on all bindings in all versions. `base` is its path. */
export function accessDoors(place: Place, agent: string, base: string): readonly AccessDoor[] {
  return DIALECTS.flatMap((dialect) => [
    jsonrpcDoor(dialect, place, base),
    restDoor(dialect, place, base),
    grpcDoor(dialect, place, agent),
  ]);
}

/** An operation on JSON-RPC. */
export interface Method {
  readonly name: string;
  readonly paramsOf: (asked: Asked) => object;
}

/** An operation in each version that has it on JSON-RPC. */
export function methodsOf(operation: OperationName): readonly Method[] {
  return DIALECTS.flatMap((dialect) =>
    [...dialect.jsonrpc.methods]
      .filter(([, each]) => each === operation)
      .map(([name]) => ({ name, paramsOf: spellingOf(operation, dialect).rpc })),
  );
}

/** How a version writes a request for an operation. An operation that is served and has no row fails the test. */
function spellingOf(operation: OperationName, { version }: Dialect) {
  const spelling = SPELLINGS[operation]?.[version];
  assert.ok(spelling, `no request for ${operation} of version ${version}`);
  return spelling;
}

function jsonrpcDoor(dialect: Dialect, { port, tls }: Place, base: string): AccessDoor {
  const wayTo = (operation: OperationName, method: string): Way => {
    const { rpc } = spellingOf(operation, dialect);
    return async (asked, headers) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: rpc(asked) });
      return httpAnswer(port, {
        method: "POST",
        path: base === "" ? "/" : base,
        headers: { "content-type": "application/json", ...headers },
        body,
        ...(tls && { tls }),
      });
    };
  };
  const ways = new Map(
    [...dialect.jsonrpc.methods].map(([method, operation]) => [
      operation,
      [wayTo(operation, method)],
    ]),
  );
  return door(`JSON-RPC ${dialect.version}`, dialect, ways);
}

function restDoor(dialect: Dialect, { port, tls }: Place, base: string): AccessDoor {
  const ways = new Map<OperationName, Way[]>();
  for (const route of dialect.rest.routes) {
    const { rest } = spellingOf(route.operation, dialect);
    const way: Way = (asked, headers) => {
      const body = route.method === "POST" ? JSON.stringify(rest(asked)) : undefined;
      return httpAnswer(port, {
        method: route.method,
        path: base + pathAt(route, asked),
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body }),
        ...(tls && { tls }),
      });
    };
    ways.set(route.operation, [...(ways.get(route.operation) ?? []), way]);
  }
  return door(`HTTP+JSON ${dialect.version}`, dialect, ways);
}

/** `:taskId` is the task's, and then `:id` the config's. */
function pathAt({ path }: Route, { task, config }: Asked): string {
  const ids: Readonly<Record<string, string>> = path.includes(":taskId")
    ? { taskId: task, id: config }
    : { id: task, configId: config };
  return path
    .replace(/(?<!\\):(\w+)/g, (_, name: string) => ids[name] ?? assert.fail(`unknown :${name}`))
    .replaceAll("\\:", ":");
}

function grpcDoor(dialect: Dialect, { port, tls }: Place, agent: string): AccessDoor {
  const client = new Client(`127.0.0.1:${port}`, channelOf(tls));
  const loaded = loadSync(dialect.grpc.proto, {
    includeDirs: [PROTO_ROOT],
    enums: String,
    longs: Number,
    bytes: String,
  })[dialect.grpc.service] as ServiceDefinition;
  const inMessage = dialect.grpc.agentIn === "message";
  const wayTo = (operation: OperationName, method: string): Way => {
    const definition = loaded[method];
    assert.ok(definition, method);
    const { grpc } = spellingOf(operation, dialect);
    return (asked, headers) => {
      const metadata = new Metadata();
      if (!inMessage) metadata.set("a2a-agent", agent);
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
      const message = { ...(inMessage && { tenant: agent }), ...grpc(asked) };
      return grpcAnswer(client, definition, message, metadata);
    };
  };
  const ways = new Map(
    [...dialect.grpc.methods].map(([method, operation]) => [operation, [wayTo(operation, method)]]),
  );
  const { name, version } = door(`gRPC ${dialect.version}`, dialect, ways);
  return { name, version, ways, close: () => client.close() };
}

function channelOf(tls: HttpTls | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const [ca, key, cert] = [tls.ca, tls.key, tls.cert].map((text) =>
    text === undefined ? null : Buffer.from(text),
  );
  return credentials.createSsl(ca, key, cert);
}

function door(name: string, { version }: Dialect, ways: AccessDoor["ways"]): AccessDoor {
  return { name, version, ways, close: () => undefined };
}
