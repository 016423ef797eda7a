import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { deferred, type Deferred } from "../../src/core/deferred.ts";
import { dnsAddresses } from "../../src/push/dns-lookup.ts";
import { hostsFileAddresses } from "../../src/push/hosts-file.ts";
import { openResolve, type Sources } from "../../src/push/resolve.ts";
import { openSystemLookup } from "../../src/push/system-lookup.ts";
import { startDnsServer } from "../support/dns-server.ts";

const found = (address: string): LookupAddress[] => [{ address, family: 4 }];
const failure = (code: string) => Object.assign(new Error(code), { code });

/** What the names are asked of, one after another as `source name`. */
function resolveOf(sources: Partial<Sources>) {
  const asked: string[] = [];
  const told =
    (source: "hostsFile" | "dns" | "system", answer: Sources["dns"]) => (name: string) => {
      asked.push(`${source} ${name}`);
      return (sources[source] ?? answer)(name);
    };
  const resolve = openResolve({
    hostsFile: told("hostsFile", () => Promise.resolve([])),
    dns: told("dns", () => Promise.resolve(found("192.0.2.1"))),
    system: told("system", () => Promise.resolve(found("192.0.2.2"))),
    now: sources.now ?? (() => 0),
  });
  return { resolve, asked };
}

test("a name in the hosts file is asked of nobody else", async () => {
  const { resolve, asked } = resolveOf({ hostsFile: () => Promise.resolve(found("192.0.2.3")) });
  assert.deepEqual(await resolve("a.example"), found("192.0.2.3"));
  assert.deepEqual(asked, ["hostsFile a.example"]);
});

test("a name that name servers answer for is not asked of the system", async () => {
  const { resolve, asked } = resolveOf({});
  assert.deepEqual(await resolve("a.example"), found("192.0.2.1"));
  assert.deepEqual(asked, ["hostsFile a.example", "dns a.example"]);
});

for (const code of ["ENOTFOUND", "ENODATA", "ECONNREFUSED"])
  test(`a name is asked of the system after name servers failed with ${code}`, async () => {
    const { resolve } = resolveOf({ dns: () => Promise.reject(failure(code)) });
    assert.deepEqual(await resolve("printer"), found("192.0.2.2"));
  });

for (const code of ["ETIMEOUT", "ESERVFAIL"])
  test(`a name is not asked of the system after name servers failed with ${code}`, async () => {
    const { resolve, asked } = resolveOf({ dns: () => Promise.reject(failure(code)) });
    await assert.rejects(resolve("a.example"), { code });
    assert(!asked.includes("system a.example"));
  });

test("answers and failures hold for ten seconds, and a name is asked for once at a time", async () => {
  let now = 0;
  let times = 0;
  const { resolve } = resolveOf({
    now: () => now,
    dns: (name) => {
      times++;
      return name === "bad.example"
        ? Promise.reject(failure("ETIMEOUT"))
        : Promise.resolve(found("192.0.2.1"));
    },
  });
  await Promise.all([resolve("a.example"), resolve("a.example")]);
  await assert.rejects(resolve("bad.example"), { code: "ETIMEOUT" });
  now = 9_999;
  await resolve("a.example");
  await assert.rejects(resolve("bad.example"), { code: "ETIMEOUT" });
  assert.equal(times, 2);
  now = 10_000;
  await resolve("a.example");
  await assert.rejects(resolve("bad.example"), { code: "ETIMEOUT" });
  assert.equal(times, 4);
});

/** A name server that says nothing. */
async function startSilentServer(context: TestContext): Promise<string> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  context.after(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

test("a name is found while a hundred others wait for a server that does not answer", async (context) => {
  const silent = await startSilentServer(context);
  const server = await startDnsServer({ "good.example": [["192.0.2.7"]] });
  context.after(() => server.close());
  const { resolve, asked } = resolveOf({
    dns: (name) => dnsAddresses(name, [name === "good.example" ? server.address : silent]),
  });
  let failed = 0;
  const dead = Array.from({ length: 100 }, (_, place) =>
    assert.rejects(resolve(`h${place}.dead.example`), { code: "ETIMEOUT" }).finally(() => failed++),
  );
  assert.deepEqual(await resolve("good.example"), found("192.0.2.7"));
  assert.equal(failed, 0);
  await Promise.all(dead);
  assert(!asked.some((each) => each.startsWith("system")));
});

test("name servers are asked for both kinds of address, and IPv4 comes first", async (context) => {
  const server = await startDnsServer({ "a.example": [["2001:db8:0:0:0:0:0:1", "192.0.2.1"]] });
  context.after(() => server.close());
  assert.deepEqual(await dnsAddresses("a.example", [server.address]), [
    { address: "192.0.2.1", family: 4 },
    { address: "2001:db8::1", family: 6 },
  ]);
  await assert.rejects(dnsAddresses("b.example", [server.address]), { code: "ENODATA" });
});

test("a hosts file has names with and without the dot of the root, in any case, and comments", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "hosts-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "hosts");
  const lines = [
    "127.0.0.1 localhost",
    "::1\tHook.internal other # hidden.internal",
    "x hook.internal",
  ];
  writeFileSync(file, [...lines, "10.0.0.1 hook.internal", ""].join("\n"));
  const both = [
    { address: "::1", family: 6 },
    { address: "10.0.0.1", family: 4 },
  ];
  assert.deepEqual(await hostsFileAddresses("hook.internal", file), both);
  assert.deepEqual(await hostsFileAddresses("hook.internal.", file), both);
  assert.deepEqual(await hostsFileAddresses("hidden.internal", file), []);
  assert.deepEqual(await hostsFileAddresses("localhost", join(folder, "none")), []);
});

/** A system that answers when it is told to. */
function systemThatWaits() {
  const asked = new Map<string, Deferred<LookupAddress[]>>();
  const lookup = openSystemLookup((name) => {
    const answer = deferred<LookupAddress[]>();
    asked.set(name, answer);
    return answer.promise;
  });
  /** Looks a name up that the system answers for at once. */
  const lookUp = async (name: string) => {
    const answer = lookup(name);
    await new Promise((resolve) => setImmediate(resolve));
    asked.get(name)?.resolve(found("192.0.2.1"));
    return answer;
  };
  return { asked, lookup, lookUp };
}

test("a name that the system answered for is asked for while another gets no answer", async () => {
  const { asked, lookup, lookUp } = systemThatWaits();
  await lookUp("known");
  const hung = Promise.allSettled(["h1", "h2", "h3"].map((name) => lookup(name)));
  assert.deepEqual(await lookUp("known"), found("192.0.2.1"));
  assert.deepEqual([...asked.keys()], ["known", "h1"]);
  for (const name of ["h1", "h2", "h3"]) {
    asked.get(name)?.reject(failure("EAI_AGAIN"));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const ended = await hung;
  assert(ended.every(({ status }) => status === "rejected"));
  assert.equal(asked.size, 4);
});

test("a name that got no place in time is not asked for later", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked, lookup } = systemThatWaits();
  const first = lookup("h1");
  const second = lookup("h2");
  context.mock.timers.tick(5000);
  await assert.rejects(second, { code: "EAI_AGAIN" });
  asked.get("h1")?.resolve(found("192.0.2.1"));
  await first;
  assert.deepEqual([...asked.keys()], ["h1"]);
});
