import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, type Reached } from "../../src/agents/addresses.ts";

const PUBLIC = "https://agents.example.com";
const OWN = "https://two.example.com";
const ORIGIN = "https://front.example.com:8443";

interface Case {
  readonly title: string;
  readonly publicUrl?: string;
  /** Of the agent `two`, which has a listener of its own. */
  readonly ownUrl?: string;
  readonly host?: string;
  readonly agent?: string;
  readonly reached?: Reached;
  readonly baseUrl: string;
  readonly grpcTarget: string;
}

const HOSTS: readonly (readonly [host: string, authority: string])[] = [
  ["127.0.0.1", "127.0.0.1:8080"],
  ["::1", "[::1]:8080"],
  ["0.0.0.0", "127.0.0.1:8080"],
  ["::", "[::1]:8080"],
];

const URLS: readonly (readonly [publicUrl: string, baseUrl: string, grpcTarget: string])[] = [
  [PUBLIC, PUBLIC, "agents.example.com:443"],
  ["http://h/gateway", "http://h/gateway", "h:80"],
  ["https://h:8443/x/", "https://h:8443/x", "h:8443"],
  ["http://[::1]:81", "http://[::1]:81", "[::1]:81"],
];

const CASES: readonly Case[] = [
  ...HOSTS.map(([host, authority]) => ({
    title: `a listener on ${host} without a public URL`,
    host,
    baseUrl: `http://${authority}/a2a/one`,
    grpcTarget: authority,
  })),
  ...URLS.map(([publicUrl, url, grpcTarget]) => ({
    title: `the public URL ${publicUrl}`,
    publicUrl,
    baseUrl: `${url}/a2a/one`,
    grpcTarget,
  })),
  {
    title: "an allowed origin",
    reached: { origin: ORIGIN },
    baseUrl: `${ORIGIN}/a2a/one`,
    grpcTarget: "front.example.com:8443",
  },
  {
    title: "an allowed origin beside a public URL",
    publicUrl: PUBLIC,
    reached: { origin: ORIGIN },
    baseUrl: `${PUBLIC}/a2a/one`,
    grpcTarget: "agents.example.com:443",
  },
  {
    title: "an own listener",
    agent: "two",
    baseUrl: "http://127.0.0.1:9001",
    grpcTarget: "127.0.0.1:9001",
  },
  {
    title: "an own listener with a public URL of its own",
    agent: "two",
    publicUrl: PUBLIC,
    ownUrl: OWN,
    reached: { origin: ORIGIN },
    baseUrl: OWN,
    grpcTarget: "two.example.com:443",
  },
  {
    title: "an own listener where only the gateway has a public URL",
    agent: "two",
    publicUrl: PUBLIC,
    baseUrl: `${PUBLIC}/a2a/two`,
    grpcTarget: "agents.example.com:443",
  },
  {
    title: "an own listener, reached at an allowed origin",
    agent: "two",
    reached: { origin: ORIGIN, atOwn: true },
    baseUrl: ORIGIN,
    grpcTarget: "front.example.com:8443",
  },
  {
    title: "an agent with an own listener, reached at an allowed origin of the shared one",
    agent: "two",
    reached: { origin: ORIGIN, atOwn: false },
    baseUrl: `${ORIGIN}/a2a/two`,
    grpcTarget: "front.example.com:8443",
  },
];

for (const { title, publicUrl, ownUrl, host = "127.0.0.1", agent = "one", ...rest } of CASES)
  test(`the address for ${title} is ${rest.baseUrl} and ${rest.grpcTarget}`, () => {
    const { baseUrl, grpcTarget } = addressOf({
      agent,
      primary: "one",
      publicUrl,
      ownUrl: agent === "two" ? ownUrl : undefined,
      listening: {
        shared: { host, port: 8080 },
        own: new Map([["two", { host: "127.0.0.1", port: 9001 }]]),
      },
      reached: rest.reached,
    });
    assert.deepEqual(
      { baseUrl, grpcTarget },
      { baseUrl: rest.baseUrl, grpcTarget: rest.grpcTarget },
    );
  });

test("calls that name no agent are for the primary one, and for the one whose listener it is", () => {
  const listening = {
    shared: { host: "::1", port: 2 },
    own: new Map([["two", { host: "::1", port: 1 }]]),
  };
  const nothing = { publicUrl: undefined, ownUrl: undefined, reached: undefined };
  assert.deepEqual(
    ["one", "two", "three"].map(
      (agent) => addressOf({ agent, primary: "one", listening, ...nothing }).isRoot,
    ),
    [true, true, false],
  );
});
