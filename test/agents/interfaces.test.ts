import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsFrom, bodyOf, cardAt } from "./support.ts";

function interfacesOf(agent: string, text: string): readonly string[] {
  const { supportedInterfaces } = bodyOf(cardAt(text, { agent, version: "1.0" }));
  return supportedInterfaces.map(({ url, protocolBinding, protocolVersion, tenant }) =>
    [protocolBinding, protocolVersion, url, tenant].filter(Boolean).join(" "),
  );
}

function agent(id: string, settings = ""): string {
  return `  ${id}: { name: A, description: "", static: {}${settings} }\n`;
}

const ONE = `agents:\n${agent("one")}`;

test("the doors of 1.0 come before those of 0.3, JSON-RPC first", () => {
  assert.deepEqual(interfacesOf("one", ONE), [
    "JSONRPC 1.0 http://127.0.0.1:8080/a2a/one",
    "HTTP+JSON 1.0 http://127.0.0.1:8080/a2a/one",
    "GRPC 1.0 127.0.0.1:8080 one",
    "JSONRPC 0.3 http://127.0.0.1:8080/a2a/one",
    "HTTP+JSON 0.3 http://127.0.0.1:8080/a2a/one",
    "GRPC 0.3 127.0.0.1:8080",
  ]);
});

test("gRPC of 0.3 is listed only where the address alone leads to the agent", () => {
  const text = `${ONE}${agent("two")}${agent("three", ", port: 9003")}`;
  const older = (id: string): readonly string[] =>
    interfacesOf(id, text).filter((each) => each.includes(" 0.3 "));
  assert.deepEqual(older("two"), [
    "JSONRPC 0.3 http://127.0.0.1:8080/a2a/two",
    "HTTP+JSON 0.3 http://127.0.0.1:8080/a2a/two",
  ]);
  assert.deepEqual(older("three"), [
    "JSONRPC 0.3 http://127.0.0.1:9003",
    "HTTP+JSON 0.3 http://127.0.0.1:9003",
    "GRPC 0.3 127.0.0.1:9003",
  ]);
});

test("an agent that is alone at its address needs no tenant", () => {
  const text = `agents:\n${agent("one", ", port: 9001")}`;
  assert.deepEqual(interfacesOf("one", text).slice(0, 3), [
    "JSONRPC 1.0 http://127.0.0.1:9001",
    "HTTP+JSON 1.0 http://127.0.0.1:9001",
    "GRPC 1.0 127.0.0.1:9001",
  ]);
});

test("the preferred binding comes first in each version", () => {
  const doors = interfacesOf("one", `agents:\n${agent("one", ", preferredBinding: GRPC")}`);
  assert.deepEqual(
    doors.map((door) => door.split(" ").slice(0, 2).join(" ")),
    ["GRPC 1.0", "JSONRPC 1.0", "HTTP+JSON 1.0", "GRPC 0.3", "JSONRPC 0.3", "HTTP+JSON 0.3"],
  );
});

for (const [v03, listed] of [
  ["[]", []],
  ["[HTTP+JSON]", ["HTTP+JSON"]],
  ["[GRPC, JSONRPC]", ["JSONRPC", "GRPC"]],
] as const)
  test(`v03: ${v03} lists 0.3 for these bindings and no other`, () => {
    const doors = interfacesOf("one", `agents:\n${agent("one", `, v03: ${v03}`)}`);
    const older = doors.filter((door) => door.includes(" 0.3 "));
    assert.deepEqual(
      older.map((door) => door.split(" ")[0]),
      listed,
    );
  });

test("every url takes each path of its binding without a double slash", () => {
  const { supportedInterfaces } = bodyOf(
    cardAt(`publicUrl: https://h/base/\n${ONE}`, { version: "1.0" }),
  );
  for (const { url, protocolBinding } of supportedInterfaces)
    if (protocolBinding === "GRPC") assert.match(url, /^[^/]+:\d+$/);
    else assert.equal(new URL(`${url}/message:send`).pathname, "/base/a2a/one/message:send");
});

test("the extended card lists the same doors", () => {
  const text = `agents:\n${agent("one", ", extendedCard: {}")}`;
  const extended = agentsFrom(text).find("one")?.extendedCard?.();
  const served = bodyOf(cardAt(text, { version: "1.0" }));
  assert.deepEqual(extended?.supportedInterfaces, served.supportedInterfaces);
});
