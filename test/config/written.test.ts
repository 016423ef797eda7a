import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
import { flag, headerName, mediaType } from "../../src/config/fields.ts";
import { address, addressOrOff, baseUrl, hostName, network } from "../../src/config/addresses.ts";
import {
  count,
  duration,
  durationOrNever,
  period,
  positiveDuration,
  size,
} from "../../src/config/units.ts";

interface Table {
  readonly schema: z.ZodType;
  readonly good: readonly (readonly [written: unknown, value: unknown])[];
  readonly bad: readonly unknown[];
}

const TABLES: Readonly<Record<string, Table>> = {
  "a duration": {
    schema: duration,
    good: [
      ["500ms", 500],
      ["30s", 30_000],
      ["5m", 300_000],
      ["1h", 3_600_000],
      ["7d", 604_800_000],
      ["1.5s", 1500],
      ["2 s", 2000],
      ["0", 0],
      [0, 0],
    ],
    bad: ["soon", "30", 30, "-1s", "1w", "", "s", "1S", true, null, ["1s"], "25d", "2147483648ms"],
  },
  "a period": {
    schema: period,
    good: [
      ["30d", 2_592_000_000],
      ["0", 0],
    ],
    bad: ["soon", "99999999999999999d", "1toString"],
  },
  "a duration longer than 0": {
    schema: positiveDuration,
    good: [
      ["1ms", 1],
      ["24d", 2_073_600_000],
    ],
    bad: ["0", "0s", 0, "25d"],
  },
  "a host": {
    schema: hostName,
    good: [
      ["agents.example.com", "agents.example.com"],
      ["Agents.Example.COM:8443", "agents.example.com:8443"],
      ["my_service:80", "my_service:80"],
      ["[::1]:8080", "[::1]:8080"],
    ],
    bad: ["", "a/b", "a@b", "http://a", "a b", "a:b", "a:70000", "[::1", "*", null],
  },
  "an IP address or a network": {
    schema: network,
    good: [
      ["10.0.0.1", "10.0.0.1"],
      ["10.0.0.0/8", "10.0.0.0/8"],
      ["::1", "::1"],
      ["fd00::/8", "fd00::/8"],
    ],
    bad: ["", "proxy", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "::/-1", 10],
  },
  "a duration or never": {
    schema: durationOrNever,
    good: [
      ["never", undefined],
      ["1d", 86_400_000],
      ["365d", 31_536_000_000],
    ],
    bad: ["Never", "off", ""],
  },
  "a size": {
    schema: size,
    good: [
      ["4MiB", 4_194_304],
      ["1 KiB", 1024],
      ["2GiB", 2_147_483_648],
      ["512KB", 512_000],
      ["1MB", 1_000_000],
      ["1.5KiB", 1536],
      ["100B", 100],
      [100, 100],
    ],
    bad: ["4mib", "4Mega", "-1", 0, "0", "", "MiB", null],
  },
  "an address": {
    schema: address,
    good: [
      ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
      ["localhost:0", { host: "localhost", port: 0 }],
      ["[::1]:80", { host: "::1", port: 80 }],
      ["0.0.0.0:65535", { host: "0.0.0.0", port: 65_535 }],
    ],
    bad: ["8080", 8080, ":8080", "host", "host:", "host:65536", "::1:80", "http://h:1", "a b:1"],
  },
  "an address or off": {
    schema: addressOrOff,
    good: [
      ["off", undefined],
      ["127.0.0.1:1", { host: "127.0.0.1", port: 1 }],
    ],
    bad: ["no", false],
  },
  "a base URL": {
    schema: baseUrl,
    good: [
      ["https://agents.example.com", "https://agents.example.com"],
      ["https://agents.example.com/a/", "https://agents.example.com/a"],
      ["http://h:81/", "http://h:81"],
    ],
    bad: ["agents.example.com", "ftp://h", "https://h/?q=1", "https://h/#x", "https://u:p@h/", ""],
  },
  "a whole number": {
    schema: count(1, 100),
    good: [
      [1, 1],
      ["100", 100],
    ],
    bad: [0, 101, 1.5, "1e1", "many", null],
  },
  "true or false": {
    schema: flag,
    good: [
      [true, true],
      ["true", true],
      ["false", false],
    ],
    bad: ["yes", 1, "", null],
  },
  "a header name": {
    schema: headerName,
    good: [["X-Request-Id", "x-request-id"]],
    bad: ["a b", "", "a:", "ä"],
  },
  "a media type": {
    schema: mediaType,
    good: [
      ["text/plain", "text/plain"],
      ["text/plain; charset=utf-8", "text/plain; charset=utf-8"],
      ["text", "text"],
    ],
    bad: ["", "a b", "text/"],
  },
};

for (const [what, { schema, good, bad }] of Object.entries(TABLES)) {
  for (const [written, value] of good)
    test(`${what} may be written ${JSON.stringify(written)}`, () => {
      assert.deepEqual(schema.parse(written), value);
    });
  for (const written of bad)
    test(`${what} may not be written ${JSON.stringify(written)}`, () => {
      const result = schema.safeParse(written);
      assert.ok(result.error?.issues[0]?.message.startsWith("expected "));
    });
}
