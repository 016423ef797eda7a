import assert from "node:assert/strict";
import { test } from "node:test";
import { clientAddresses } from "../../src/transports/client-address.ts";

const clients = clientAddresses(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]);

function addressOf(peer: string, given: { forwarded?: string; xForwardedFor?: string }): string {
  const { forwarded, xForwardedFor } = given;
  return clients.of(peer, () => ({ forwarded, xForwardedFor }));
}

test("whoever is no trusted proxy is where the connection comes from, whatever it says", () => {
  assert.equal(addressOf("192.0.2.9", { xForwardedFor: "198.51.100.1" }), "192.0.2.9");
  const none = clientAddresses([]);
  assert.equal(
    none.of("127.0.0.1", () => assert.fail("not to be asked")),
    "127.0.0.1",
  );
});

test("the last address that is no trusted proxy's is the client's", () => {
  const xForwardedFor = "203.0.113.5, 198.51.100.1, 10.1.2.3";
  assert.equal(addressOf("127.0.0.1", { xForwardedFor }), "198.51.100.1");
  assert.equal(addressOf("::ffff:10.0.0.7", { xForwardedFor }), "198.51.100.1");
  const forwarded = 'for=203.0.113.5;proto=https, for="[2001:DB9::7]:4711";by=10.0.0.1';
  assert.equal(addressOf("2001:db8::1", { xForwardedFor, forwarded }), "2001:DB9::7");
});

test("a proxy that names no address speaks for itself", () => {
  for (const xForwardedFor of ["", "unknown", "198.51.100.1, _hidden", "10.0.0.2"])
    assert.equal(addressOf("127.0.0.1", { xForwardedFor }), "127.0.0.1");
  assert.equal(addressOf("127.0.0.1", {}), "127.0.0.1");
});
