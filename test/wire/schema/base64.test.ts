import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { normalBase64 } from "../../../src/wire/schema/base64.ts";

test("any bytes in base64 or base64url, padded or not, become the same standard text", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const standard = Buffer.from(bytes).toString("base64");
      const url = Buffer.from(bytes).toString("base64url");
      assert.equal(normalBase64(standard), standard);
      assert.equal(normalBase64(standard.replace(/=+$/, "")), standard);
      assert.equal(normalBase64(url), standard);
      assert.equal(normalBase64(url.padEnd(standard.length, "=")), standard);
    }),
  );
});

test("bits that belong to no byte are dropped", () => {
  assert.equal(normalBase64("AB=="), "AA==");
  assert.equal(normalBase64("AAF"), "AAE=");
});

for (const text of ["A", "AAAAA", "AA=", "AAA==", "AAAA=", "=", "A A=", "AA\n==", "Ä", "AA==AA=="])
  test(`${JSON.stringify(text)} is not base64`, () => {
    assert.equal(normalBase64(text), undefined);
  });
