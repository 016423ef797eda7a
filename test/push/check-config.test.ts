import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskPushNotificationConfig } from "../../src/protocol/model.ts";
import { openAddressGuard } from "../../src/push/address-guard.ts";
import { checkConfig } from "../../src/push/check-config.ts";

const GUARD = openAddressGuard({ allowHttp: false, allowPrivate: false, allow: [] });
const URL = "https://hooks.example.com/a";

function fieldsOf(config: Partial<TaskPushNotificationConfig>): string[] {
  return checkConfig({ url: URL, ...config }, GUARD).map(({ field }) => field);
}

for (const [title, config] of [
  ["a URL alone", {}],
  ["empty texts", { id: "", token: "", authentication: { scheme: "", credentials: "" } }],
  ["dots and slashes in its id", { id: ".../a" }],
  ["a scheme alone", { authentication: { scheme: "Bearer" } }],
  [
    "everything",
    { id: "a b/\u00e9", token: "t ~!", authentication: { scheme: "Basic", credentials: "dTpw==" } },
  ],
] as const)
  test(`a config with ${title} is right`, () => assert.deepEqual(fieldsOf(config), []));

for (const [title, config, field] of [
  ["no URL", { url: "" }, "url"],
  ["a private address", { url: "https://10.0.0.1/" }, "url"],
  ["a long URL", { url: `${URL}?${"a".repeat(2048)}` }, "url"],
  ["a long id", { id: "a".repeat(257) }, "id"],
  ["a line break in its id", { id: "a\nb" }, "id"],
  ["a dot as its id", { id: "." }, "id"],
  ["two dots as its id", { id: ".." }, "id"],
  ["half a character in its id", { id: "a\ud800" }, "id"],
  ["a long token", { token: "a".repeat(2049) }, "token"],
  ["a line break in its token", { token: "a\r\nX-Other: b" }, "token"],
  ["a token that is no ASCII", { token: "\u00e9" }, "token"],
  ["a token with a blank at its end", { token: "a " }, "token"],
  [
    "credentials without a scheme",
    { authentication: { scheme: "", credentials: "c" } },
    "authentication.scheme",
  ],
  ["two words as its scheme", { authentication: { scheme: "a b" } }, "authentication.scheme"],
  [
    "a long scheme",
    { authentication: { scheme: "a".repeat(65), credentials: "c" } },
    "authentication.scheme",
  ],
  [
    "a control character in its credentials",
    { authentication: { scheme: "Bearer", credentials: "a\u0000" } },
    "authentication.credentials",
  ],
  [
    "long credentials",
    { authentication: { scheme: "Bearer", credentials: "a".repeat(4097) } },
    "authentication.credentials",
  ],
] as const)
  test(`a config with ${title} is refused`, () => assert.deepEqual(fieldsOf(config), [field]));

test("everything that is wrong is told at once, without a word of the secrets", () => {
  const violations = checkConfig(
    {
      url: "http://a/",
      token: "s3cret\n",
      authentication: { scheme: "", credentials: "s3cret\n" },
    },
    GUARD,
  );
  assert.deepEqual(
    violations.map(({ field }) => field),
    ["url", "token", "authentication.scheme", "authentication.credentials"],
  );
  assert(!JSON.stringify(violations).includes("s3cret"));
});
