import assert from "node:assert/strict";
import { test } from "node:test";
import { networkOf } from "../src/network.ts";

const cases: readonly (readonly [address: string, network: string])[] = [
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::1", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["1::2:3:4:5:192.0.2.7", "1:0:2:3::/64"],
  ["", ""],
];

for (const [address, network] of cases)
  test(`guesses from ${JSON.stringify(address)} are counted for ${JSON.stringify(network)}`, () => {
    assert.equal(networkOf(address), network);
  });
