import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { jwkOf, openSigningKey } from "../../../src/agents/signing/signing-key.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "a2a-keys-"));
});
after(() => rm(folder, { recursive: true }));

async function opened(text: string) {
  await writeFile(join(folder, "key.pem"), text);
  return openSigningKey({ file: "key.pem", kid: "k" }, folder);
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: "pkcs8", format: "pem" }));
}

const KEYS = {
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  EdDSA: generateKeyPairSync("ed25519").privateKey,
};

for (const [algorithm, key] of Object.entries(KEYS))
  test(`the algorithm of a key follows from what it is: ${algorithm}`, async () => {
    const read = await opened(pemOf(key));
    assert.equal(read.algorithm, algorithm);
    const jwk = jwkOf(read);
    assert.deepEqual([jwk["kid"], jwk["alg"], jwk["use"]], ["k", algorithm, "sig"]);
    for (const secret of ["d", "p", "q", "dp", "dq", "qi"]) assert.equal(jwk[secret], undefined);
  });

const P384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const WEAK = generateKeyPairSync("rsa", { modulusLength: 1024 });
const LOCKED = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" } as const;

for (const [title, text, error] of [
  ["another curve", pemOf(P384.privateKey), /expected an EC key on P-256/],
  ["a short RSA key", pemOf(WEAK.privateKey), /expected an EC key on P-256/],
  ["a passphrase", String(KEYS.ES256.export(LOCKED)), /without a passphrase/],
  [
    "a public key",
    String(P384.publicKey.export({ type: "spki", format: "pem" })),
    /expected a private key in PEM/,
  ],
  ["something else", "hello", /expected a private key in PEM/],
] as const)
  test(`a file with ${title} is refused with what was expected`, async () => {
    await assert.rejects(opened(text), error);
  });

test("a file that is not there is told with its path", async () => {
  await assert.rejects(openSigningKey({ file: "none.pem", kid: "k" }, folder), {
    message: `${join(folder, "none.pem")}: no such file`,
  });
});
