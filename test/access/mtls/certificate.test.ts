import assert from "node:assert/strict";
import { test } from "node:test";
import { certificateOf } from "../../../src/access/certificate.ts";

function namesOf(...names: readonly string[]) {
  const { dns, uri, email } = certificateOf({
    commonName: undefined,
    names,
    fingerprint256: "AB:CD",
  });
  return { dns, uri, email };
}

test("alternative names are told apart by their kinds", () => {
  const names = ["DNS:A.example", "URI:spiffe://a/b", "email:a@b.example", "IP Address:127.0.0.1"];
  assert.deepEqual(namesOf(...names, "DNS:c"), {
    dns: ["a.example", "c"],
    uri: ["spiffe://a/b"],
    email: ["a@b.example"],
  });
});

test("a name that pretends to be of another kind is of its own", () => {
  assert.deepEqual(namesOf("URI:DNS:a.example", "othername:email:a@b.example"), {
    dns: [],
    uri: ["DNS:a.example"],
    email: [],
  });
});
