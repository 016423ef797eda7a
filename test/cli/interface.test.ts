import assert from "node:assert/strict";
import { test } from "node:test";
import { cardUrlOf, interfaceOf } from "../../src/cli/client/card.ts";
import type { AgentCard } from "../../src/protocol/agent-card.ts";

function cardWith(...doors: readonly (readonly [binding: string, version: string])[]): AgentCard {
  return {
    name: "",
    description: "",
    version: "",
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    supportedInterfaces: doors.map(([protocolBinding, protocolVersion], index) => ({
      url: `http://h/${index}`,
      protocolBinding,
      protocolVersion,
    })),
  };
}

test("the card is looked for below the agent's address", () => {
  assert.equal(cardUrlOf("http://h"), "http://h/.well-known/agent-card.json");
  assert.equal(cardUrlOf("http://h/a2a/x/"), "http://h/a2a/x/.well-known/agent-card.json");
  assert.equal(cardUrlOf("http://h/x?k=1"), "http://h/x/.well-known/agent-card.json?k=1");
  assert.equal(cardUrlOf("http://h/my/card.json"), "http://h/my/card.json");
});

test("the first door in the card's order that speaks 1.0 is taken", () => {
  const card = cardWith(
    ["urn:x", "1.0"],
    ["JSONRPC", "0.3"],
    ["jsonrpc", ""],
    ["GRPC", "1.0.1"],
    ["JSONRPC", "1.0"],
  );
  assert.equal(interfaceOf(card, undefined).binding, "GRPC");
  assert.equal(interfaceOf(card, "JSONRPC").door.url, "http://h/4");
});

test("the case of a binding's name counts for nothing", () => {
  assert.equal(interfaceOf(cardWith(["http+json", "1.0"]), undefined).binding, "HTTP+JSON");
});

test("an agent without a fitting door is refused with what it offers", () => {
  assert.throws(() => interfaceOf(cardWith(["JSONRPC", "0.3"]), "GRPC"), {
    message: "the agent offers no GRPC in version 1.0, only JSONRPC 0.3",
  });
  assert.throws(() => interfaceOf(cardWith(), undefined), /only nothing/);
});
