import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { Client, credentials } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import type { GetTaskRequest } from "../../../src/protocol/model.ts";
import { scriptedService } from "../../support/scripted-service.ts";
import { startTransports, type Transports } from "../../support/transports.ts";

const SERVICE = "lf.a2a.v1.A2AService";
const VERSIONS = ["v1", "v1alpha"] as const;

interface Field {
  readonly name: string;
  readonly jsonName: string;
  readonly typeName?: string;
}

interface Message {
  readonly name: string;
  readonly field?: readonly Field[];
  readonly nestedType?: readonly Message[];
  readonly enumType?: readonly { readonly name: string }[];
}

interface File {
  readonly name: string;
  readonly package: string;
  readonly dependency?: readonly string[];
  readonly messageType?: readonly Message[];
  readonly enumType?: readonly { readonly name: string }[];
  readonly service?: readonly {
    readonly method: readonly { readonly inputType: string; readonly outputType: string }[];
  }[];
}

describe("gRPC reflection", () => {
  let transports: Transports;
  let client: Client;
  let ask: ReturnType<typeof asker>;

  before(async () => {
    const service = scriptedService({
      getTask: async ({ id }: GetTaskRequest) => ({
        id,
        status: { state: "TASK_STATE_COMPLETED" },
        metadata: { colour: "red" },
      }),
    });
    transports = await startTransports(service, { maxBytes: 100_000 });
    client = new Client(`127.0.0.1:${transports.port}`, credentials.createInsecure());
    ask = asker(client);
  });
  after(async () => {
    client.close();
    await transports.stop();
  });

  for (const version of VERSIONS)
    test(`${version} lists the services, health among them`, async () => {
      const { listServicesResponse } = await ask(version, { listServices: "*" });
      const names = listServicesResponse?.service.map(({ name }) => name).toSorted();
      assert.deepEqual(names, ["grpc.health.v1.Health", SERVICE]);
    });

  for (const version of VERSIONS)
    for (const symbol of [SERVICE, "lf.a2a.v1.Task", "grpc.health.v1.Health"])
      test(`${version} serves files for ${symbol} in which every name can be found`, async () => {
        assert.deepEqual(
          unlinkedNames(await filesOf(symbol, (request) => ask(version, request))),
          [],
        );
      });

  test("names fields as the .proto files do, with their JSON names", async () => {
    const files = await filesOf(SERVICE, (request) => ask("v1", request));
    const messages = new Map(
      files.flatMap((file) => file.messageType ?? []).map((m) => [m.name, m]),
    );
    const namesOf = (message: string) =>
      messages.get(message)?.field?.map(({ name, jsonName }) => [name, jsonName]);
    assert.deepEqual(namesOf("Message")?.[0], ["message_id", "messageId"]);
    assert.deepEqual(namesOf("Value")?.[0], ["null_value", "nullValue"]);
  });

  test("tells enough to make a call", async () => {
    const files = await filesOf(SERVICE, (request) => ask("v1", request));
    const root = rootOf(files);
    const { requestType, responseType } = root.lookupService(SERVICE).methods["GetTask"] ?? {};
    assert(requestType !== undefined && responseType !== undefined);
    const request = root.lookupType(requestType).encode({ id: "t7" }).finish();
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const path = `/${SERVICE}/GetTask`;
      client.makeUnaryRequest(
        path,
        Buffer.from,
        (b) => b,
        request,
        (error, bytes) => (error ? reject(error) : resolve(bytes ?? Buffer.alloc(0))),
      );
    });
    const task = root.lookupType(responseType).decode(answer).toJSON();
    assert.equal(task["id"], "t7");
    assert.equal(task["status"].state, "TASK_STATE_COMPLETED");
    // The client's library has no maps in descriptors: it sees the entries that they are on the wire.
    assert.deepEqual(task["metadata"].fields, [{ key: "colour", value: { string_value: "red" } }]);
  });
});

interface Answer {
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Uint8Array[] };
  readonly errorResponse?: { readonly errorMessage: string };
}

type Ask = (request: object) => Promise<Answer>;

/** Speaks the protocol with messages of the package that serves it. */
function asker(client: Client) {
  const { resolve } = createRequire(import.meta.url);
  const folder = resolve("@grpc/reflection").replace(
    /build\/src\/.*$/,
    "build/proto/grpc/reflection",
  );
  return async (version: (typeof VERSIONS)[number], request: object): Promise<Answer> => {
    const root = protobuf.loadSync(`${folder}/${version}/reflection.proto`);
    const Request = root.lookupType("ServerReflectionRequest");
    const Response = root.lookupType("ServerReflectionResponse");
    const call = client.makeBidiStreamRequest(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      (message: object) => Buffer.from(Request.encode(message).finish()),
      (bytes) => Response.decode(bytes) as Answer,
    );
    call.write(request);
    call.end();
    const [answer] = (await call.toArray()) as Answer[];
    assert(answer !== undefined && !Object.hasOwn(answer, "errorResponse"), JSON.stringify(answer));
    return answer;
  };
}

/** The file of a symbol and all that it depends on, as a client collects them. */
async function filesOf(symbol: string, ask: Ask): Promise<readonly File[]> {
  const files = new Map<string, File>();
  const add = ({ fileDescriptorResponse }: Answer) => {
    for (const bytes of fileDescriptorResponse?.fileDescriptorProto ?? []) {
      const file = descriptor.FileDescriptorProto.decode(bytes).toJSON() as File;
      files.set(file.name, file);
    }
  };
  add(await ask({ fileContainingSymbol: symbol }));
  // A Map that grows while it is gone through also yields what was added.
  for (const { dependency = [] } of files.values())
    for (const name of dependency) if (!files.has(name)) add(await ask({ fileByFilename: name }));
  return [...files.values()];
}

/** References to what the file neither declares nor imports. */
function unlinkedNames(files: readonly File[]): readonly string[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  return files.flatMap((file) => {
    const visible = [file, ...(file.dependency ?? []).flatMap((name) => byName.get(name) ?? [])];
    const known = new Set(visible.flatMap(declaredNames));
    return referredNames(file).filter((name) => !known.has(name));
  });
}

function declaredNames(file: File): readonly string[] {
  const prefix = `.${file.package}`;
  const within = (outer: string, message: Message): readonly string[] => {
    const name = `${outer}.${message.name}`;
    return [
      name,
      ...(message.enumType ?? []).map((each) => `${name}.${each.name}`),
      ...(message.nestedType ?? []).flatMap((nested) => within(name, nested)),
    ];
  };
  return [
    ...(file.enumType ?? []).map(({ name }) => `${prefix}.${name}`),
    ...(file.messageType ?? []).flatMap((message) => within(prefix, message)),
  ];
}

function referredNames({ messageType = [], service = [] }: File): readonly string[] {
  const ofMessage = ({ field = [], nestedType = [] }: Message): readonly string[] => [
    ...field.flatMap(({ typeName }) => typeName ?? []),
    ...nestedType.flatMap(ofMessage),
  ];
  const methods = service.flatMap(({ method }) => method);
  return [
    ...messageType.flatMap(ofMessage),
    ...methods.flatMap(({ inputType, outputType }) => [inputType, outputType]),
  ];
}

function rootOf(files: readonly File[]): protobuf.Root {
  const Root = protobuf.Root as typeof protobuf.Root & {
    fromDescriptor(set: object): protobuf.Root;
  };
  const set = descriptor.FileDescriptorSet.fromObject({ file: files });
  const root = Root.fromDescriptor(set);
  root.resolveAll();
  return root;
}
