/** Cards on their way 1.0 → 0.3 → 1.0 and back lose nothing but what docs/versions.md lists. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc, { type Arbitrary } from "fast-check";
import type { AgentCard } from "../../../src/protocol/agent-card.ts";
import { agentCardOf } from "../../../src/wire/v0_3/agent-card.ts";
import { objectOf } from "../../../src/wire/v0_3/card-fields.ts";
import { hybridCardOf, legacyCardOf } from "../../../src/wire/v0_3/card.ts";
import { withRequirements } from "../../../src/wire/v0_3/security.ts";
import { messages } from "../../../src/wire/v1/messages.ts";
import { jsonValue } from "../arbitraries.ts";

const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const names = fc.array(name, { minLength: 1, maxLength: 3 });
const params = fc.dictionary(name, jsonValue, { maxKeys: 3, noNullPrototype: true });

function record<T>(members: { [K in keyof T]: Arbitrary<T[K]> }): Arbitrary<T> {
  return fc.record(members, { noNullPrototype: true });
}

function partial<T>(members: { [K in keyof T]: Arbitrary<T[K]> }) {
  return fc.record(members, { requiredKeys: [], noNullPrototype: true });
}

const described = partial({ description: name });
const scopes = fc.dictionary(name, name, { maxKeys: 2, noNullPrototype: true });
const flows = fc.oneof(
  record({ authorizationCode: record({ authorizationUrl: name, tokenUrl: name, scopes }) }),
  record({ clientCredentials: record({ tokenUrl: name, refreshUrl: name, scopes }) }),
  record({ implicit: record({ authorizationUrl: name, scopes }) }),
  record({ password: record({ tokenUrl: name, scopes }) }),
);
const location = fc.constantFrom("query", "header", "cookie");
const scheme = fc.oneof(
  record({
    apiKeySecurityScheme: merged(record({ location, name }), described),
  }),
  record({
    httpAuthSecurityScheme: merged(record({ scheme: name }), partial({ bearerFormat: name })),
  }),
  record({
    oauth2SecurityScheme: merged(record({ flows }), partial({ oauth2MetadataUrl: name })),
  }),
  record({
    openIdConnectSecurityScheme: merged(record({ openIdConnectUrl: name }), described),
  }),
  record({ mtlsSecurityScheme: described }),
);
const requirement = record({
  schemes: fc.dictionary(name, partial({ list: names }), { noNullPrototype: true }),
});
const requirements = fc.array(requirement, { minLength: 1, maxLength: 2 });

const skill = merged(
  record({ id: name, name, description: name, tags: names }),
  partial({
    examples: names,
    inputModes: names,
    outputModes: names,
    securityRequirements: requirements,
  }),
);
const extension = merged(
  record({ uri: name }),
  partial({ description: name, required: fc.boolean(), params }),
);

const card: Arbitrary<AgentCard> = merged(
  record({
    name,
    description: name,
    version: name,
    supportedInterfaces: fc.uniqueArray(
      record({
        url: name,
        protocolBinding: fc.constantFrom("JSONRPC", "HTTP+JSON", "GRPC"),
        protocolVersion: fc.constant("0.3"),
      }),
      { minLength: 1, maxLength: 3, selector: ({ url }) => url },
    ),
    capabilities: partial({
      streaming: fc.boolean(),
      pushNotifications: fc.boolean(),
      extendedAgentCard: fc.boolean(),
      extensions: fc.array(extension, { minLength: 1, maxLength: 2 }),
    }),
    defaultInputModes: names,
    defaultOutputModes: names,
    skills: fc.array(skill, { maxLength: 2 }),
  }),
  partial({
    provider: record({ url: name, organization: name }),
    documentationUrl: name,
    iconUrl: name,
    securitySchemes: fc.dictionary(name, scheme, {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    }),
    securityRequirements: requirements,
    signatures: fc.array(
      merged(record({ protected: name, signature: name }), partial({ header: params })),
      { minLength: 1, maxLength: 2 },
    ),
  }),
);

function merged<A extends object, B extends object>(
  first: Arbitrary<A>,
  second: Arbitrary<B>,
): Arbitrary<A & B> {
  return fc.tuple(first, second).map(([a, b]) => ({ ...a, ...b }));
}

test("a card comes back from 0.3 as it was", () => {
  fc.assert(
    fc.property(card, (model) => {
      assert.deepEqual(agentCardOf(overTheWire(legacyCardOf(model))), model);
    }),
  );
});

test("a card of 0.3 comes back from 1.0 as it was", () => {
  fc.assert(
    fc.property(card, (model) => {
      const legacy = overTheWire(legacyCardOf(model));
      assert.deepEqual(overTheWire(legacyCardOf(agentCardOf(legacy))), legacy);
    }),
  );
});

test("the hybrid card reads as the card of either version", () => {
  fc.assert(
    fc.property(card, (model) => {
      const hybrid = overTheWire(hybridCardOf(model));
      assert.deepEqual(agentCardOf(hybrid), model);
      const modern = messages.AgentCard.decode(withRequirements(objectOf(hybrid)), "lenient");
      assert.deepEqual(modern, messages.AgentCard.decode(model, "lenient"));
    }),
  );
});

test("whatever comes as a card becomes one", () => {
  const member = fc.constantFrom(
    "skills",
    "capabilities",
    "securitySchemes",
    "security",
    "provider",
  );
  const anything = fc.anything({ key: fc.oneof(member, name), maxDepth: 4 });
  fc.assert(
    fc.property(anything, (wire) => {
      assert.equal(typeof agentCardOf(wire).name, "string");
    }),
  );
});

function overTheWire(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
