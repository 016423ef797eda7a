import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  openAddressGuard,
  RefusedAddressError,
  type AddressRules,
} from "../../src/push/address-guard.ts";
import { openResolve } from "../../src/push/resolve.ts";
import { startDnsServer } from "../support/dns-server.ts";

const STRICT: AddressRules = { allowHttp: false, allowPrivate: false, allow: [] };

const refusalOf = (url: string, rules: Partial<AddressRules> = {}): string | undefined =>
  openAddressGuard({ ...STRICT, ...rules }).refusalOf(url);

for (const url of [
  "https://hooks.example.com/a?b=c",
  "https://hooks.example.com:8443/",
  "https://hooks.example.com./",
  "https://8.8.8.8/",
  "https://[2606:4700:4700::1111]/",
  "https://[64:ff9b::808:808]/",
  "https://[::ffff:8.8.8.8]/",
  "https://b\u00fccher.example/",
])
  test(`a webhook may be at ${url}`, () => assert.equal(refusalOf(url), undefined));

for (const [url, problem] of [
  ["", /absolute http or https URL/],
  ["/hook", /absolute http or https URL/],
  ["hooks.example.com/a", /absolute http or https URL/],
  ["ftp://hooks.example.com/", /absolute http or https URL/],
  ["file:///etc/passwd", /absolute http or https URL/],
  ["unix:/run/docker.sock", /absolute http or https URL/],
  ["https://", /absolute http or https URL/],
  ["https://[fe80::1%25eth0]/", /absolute http or https URL/],
  ["http://hooks.example.com/", /must be an https URL/],
  ["https://user@hooks.example.com/", /user or a password/],
  ["https://:secret@hooks.example.com/", /user or a password/],
  ["https://hooks.example.com/\n", /blanks or control/],
  [" https://hooks.example.com/", /blanks or control/],
  ["https://hooks.\texample.com/", /blanks or control/],
  ["https://a..example.com/", /host that can be looked up/],
  [`https://${"a".repeat(64)}.example.com/`, /host that can be looked up/],
  ["https://localhost/", /this machine/],
  ["https://LOCALHOST./", /this machine/],
  ["https://api.localhost/", /this machine/],
] as const)
  test(`a webhook may not be at ${JSON.stringify(url)}`, () =>
    assert.match(refusalOf(url) ?? "", problem));

const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  "a loopback address": [
    "127.0.0.1",
    "127.255.0.9",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0X7F.1",
    "0177.0.0.1",
    "017700000001",
    "127\u30020\u30020\u30021",
    "\uff11\uff12\uff17.0.0.1",
    "%31%32%37.0.0.1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::127.0.0.1]",
  ],
  "a link-local address": [
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[fe80::1]",
    "[febf::1]",
  ],
  "a private address": [
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "[::ffff:10.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[fc00::1]",
    "[fd12:3456::1]",
  ],
  "a shared address": ["100.64.0.1", "100.127.255.255"],
  "a multicast address": ["224.0.0.1", "239.255.255.255", "[ff02::1]", "[ff0e::1]"],
  "a broadcast address": ["255.255.255.255"],
  "an unspecified address": ["0.0.0.0", "0", "0.1.2.3", "[::]"],
  "a reserved address": [
    "192.0.0.1",
    "192.0.2.1",
    "198.51.100.7",
    "203.0.113.9",
    "198.18.0.1",
    "192.88.99.1",
    "192.31.196.1",
    "192.175.48.1",
    "192.52.193.1",
    "240.0.0.1",
    "254.255.255.255",
    "[::127.0.0.1]",
    "[::a9fe:a9fe]",
    "[::ffff:0:127.0.0.1]",
    "[2002:7f00:1::]",
    "[2002:808:808::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[fec0::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[5f00::1]",
    "[4000::1]",
  ],
};

for (const [kind, hosts] of Object.entries(SPELLINGS))
  for (const host of hosts) {
    test(`${JSON.stringify(host)} is ${kind}`, () =>
      assert.equal(refusalOf(`https://${host}/`), `must not name ${kind}`));
    test(`${JSON.stringify(host)} will do where private addresses are allowed`, () =>
      assert.equal(refusalOf(`https://${host}/`, { allowPrivate: true }), undefined));
  }

test("plain http will do where it is allowed, and opens no private address", () => {
  const rules = { allowHttp: true };
  assert.equal(refusalOf("http://hooks.example.com/", rules), undefined);
  assert.match(refusalOf("http://127.0.0.1/", rules) ?? "", /a loopback address/);
  assert.match(refusalOf("http://127.0.0.1/", { allowPrivate: true }) ?? "", /https/);
});

test("a host on the list is open, over http too; others are not", () => {
  const allow = [
    "Hooks.Internal",
    "*.Corp.example.",
    "10.1.0.0/16",
    "[fd00::7]",
    "b\u00fccher.example",
  ];
  const isOpen = (url: string): boolean => refusalOf(url, { allow }) === undefined;
  for (const url of [
    "http://hooks.internal/",
    "http://hooks.internal.:8080/",
    "http://a.corp.example/",
    "http://a.b.corp.example/",
    "http://10.1.2.3/",
    "http://0x0a010203/",
    "http://[::ffff:10.1.2.3]/",
    "http://[fd00::7]/",
    "http://xn--bcher-kva.example/",
  ])
    assert(isOpen(url), url);
  for (const url of [
    "http://corp.example/",
    "http://evilcorp.example/",
    "http://x.hooks.internal/",
    "http://10.2.0.1/",
    "https://10.2.0.1/",
    "https://[fd00::8]/",
    "http://user@hooks.internal/",
    "ftp://hooks.internal/",
  ])
    assert(!isOpen(url), url);
});

for (const entry of [
  "",
  "*",
  "*.",
  "http://a/",
  "a/b",
  "10.0.0.0/33",
  "a:80",
  "a b",
  "**.a",
  "a@b",
])
  test(`${JSON.stringify(entry)} is no entry of the list`, () =>
    assert.throws(() => openAddressGuard({ ...STRICT, allow: [entry] }), /expected a host/));

/** What a request that is made with the guard ends with: a status, or an error. */
async function requested(url: string, lookup: ReturnType<typeof openAddressGuard>["lookup"]) {
  const request = get(url, { lookup, agent: false });
  try {
    const [response] = (await once(request, "response")) as [
      { statusCode: number; resume(): void },
    ];
    response.resume();
    return response.statusCode;
  } catch (thrown) {
    return thrown;
  }
}

async function startServer() {
  const server = createServer((_, response) => response.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

test("a name is connected to at the address that was judged, and asked for only once", async () => {
  const server = await startServer();
  const dns = await startDnsServer({ "rebind.example": [["127.0.0.1"], ["127.0.0.2"]] });
  try {
    const rules = { ...STRICT, allowHttp: true, allow: ["127.0.0.1"] };
    const guard = openAddressGuard(rules, dns.resolve);
    const url = `http://rebind.example:${server.port}/`;
    assert.equal(await requested(url, guard.lookup), 200);
    assert.deepEqual(dns.asked, ["rebind.example"]);
    const second = await requested(url, guard.lookup);
    assert(RefusedAddressError.is(second), String(second));
    assert.equal(second.message, "the host has no address that is allowed");
  } finally {
    dns.close();
    server.close();
  }
});

test("an address that is still known is judged anew", async () => {
  const server = await startServer();
  let times = 0;
  const resolve = openResolve({
    hostsFile: () => Promise.resolve([]),
    dns: () => {
      times++;
      return Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    },
    system: () => Promise.reject(new Error("asked")),
    now: () => 0,
  });
  try {
    const url = `http://known.example:${server.port}/`;
    const open = openAddressGuard({ ...STRICT, allow: ["127.0.0.1"] }, resolve);
    assert.equal(await requested(url, open.lookup), 200);
    const closed = await requested(url, openAddressGuard(STRICT, resolve).lookup);
    assert(RefusedAddressError.is(closed), String(closed));
    assert.equal(times, 1);
  } finally {
    server.close();
  }
});

test("names of one address are one machine once they were looked up, and so is a network of IPv6", async () => {
  const dns = await startDnsServer({ "a.example": [["127.0.0.1"]], "b.example": [["127.0.0.1"]] });
  try {
    const { lookup, machineOf } = openAddressGuard(STRICT, dns.resolve);
    assert.notEqual(machineOf("a.example"), machineOf("b.example"));
    for (const name of ["a", "b"]) await requested(`http://${name}.example:9/`, lookup);
    assert.equal(machineOf("a.example"), machineOf("b.example"));
    assert.equal(machineOf("a.example"), machineOf("127.0.0.1"));
    assert.equal(machineOf("[2606:4700::1:2]"), machineOf("[2606:4700::3:4]"));
    assert.notEqual(machineOf("[2606:4700::1]"), machineOf("[2606:4701::1]"));
  } finally {
    dns.close();
  }
});

test("of several addresses only the allowed ones are connected to", async () => {
  const server = await startServer();
  const mixed = ["169.254.169.254", "10.0.0.1", "0:0:0:0:0:0:0:1", "127.0.0.1"];
  const dns = await startDnsServer({ "mixed.example": [mixed] });
  try {
    const guard = openAddressGuard({ ...STRICT, allow: ["127.0.0.1/32"] }, dns.resolve);
    assert.equal(await requested(`http://mixed.example:${server.port}/`, guard.lookup), 200);
  } finally {
    dns.close();
    server.close();
  }
});

for (const address of [
  "127.0.0.1",
  "169.254.169.254",
  "0:0:0:0:0:0:0:1",
  "0:0:0:0:0:ffff:a9fe:a9fe",
])
  test(`a name that resolves to ${address} is not connected to`, async () => {
    const dns = await startDnsServer({ "inside.example": [[address]] });
    try {
      const guard = openAddressGuard({ ...STRICT, allowHttp: true }, dns.resolve);
      const ended = await requested("http://inside.example:9/", guard.lookup);
      assert(RefusedAddressError.is(ended), String(ended));
    } finally {
      dns.close();
    }
  });

test("a name on the list may have any address, and one without addresses is not found", async () => {
  const server = await startServer();
  const dns = await startDnsServer({ "hook.internal": [["127.0.0.1"]] });
  try {
    const guard = openAddressGuard({ ...STRICT, allow: ["*.internal"] }, dns.resolve);
    assert.equal(await requested(`http://hook.internal:${server.port}/`, guard.lookup), 200);
    const ended = await requested("http://nobody.example/", guard.lookup);
    assert.equal((ended as NodeJS.ErrnoException).code, "ENOTFOUND");
  } finally {
    dns.close();
    server.close();
  }
});

test("the system's own look-up is judged like any other", async () => {
  const guard = openAddressGuard({ ...STRICT, allowHttp: true });
  const ended = await requested("http://localhost:9/", guard.lookup);
  assert(RefusedAddressError.is(ended), String(ended));
});
