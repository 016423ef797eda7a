import assert from "node:assert/strict";
import { test } from "node:test";
import { authorizationOf, cookieOf } from "../../src/access/credentials.ts";

function basicIn(authorization: string): string | undefined {
  return authorizationOf({ headers: { authorization } }, "Basic");
}

test("the scheme of an Authorization header is found whatever its case", () => {
  for (const header of ["Basic abc", "basic abc", "BASIC   abc ", " Basic\tabc"])
    assert.equal(basicIn(header), "abc", header);
  assert.equal(basicIn("Basic"), "");
  for (const header of ["Bearer abc", "Basicabc", "abc", ""])
    assert.equal(basicIn(header), undefined);
  assert.equal(authorizationOf({ headers: {} }, "Basic"), undefined);
});

test("a cookie is found by its whole name, and the first one counts", () => {
  const headers = { cookie: 'akey=0; key=a=b; key=2; quoted="c d"; empty=; bare' };
  assert.equal(cookieOf({ headers }, "key"), "a=b");
  assert.equal(cookieOf({ headers }, "quoted"), "c d");
  assert.equal(cookieOf({ headers }, "empty"), "");
  assert.equal(cookieOf({ headers }, "bare"), undefined);
  assert.equal(cookieOf({ headers }, "ey"), undefined);
  assert.equal(cookieOf({ headers: {} }, "key"), undefined);
});
