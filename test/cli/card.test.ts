import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { command, temporaryFolder } from "./command.ts";

const CARD = {
  name: "N",
  description: "d",
  supportedInterfaces: [{ url: "u", protocolBinding: "GRPC", protocolVersion: "1.0" }],
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["a"],
  defaultOutputModes: ["b"],
  skills: [{ id: "i", name: "n", description: "s", tags: ["t"] }],
};

/** A folder with a card, and a key as key.pem and public.pem. */
async function folderWithKey(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const write = (name: string, text: string | Buffer): Promise<void> =>
    writeFile(join(folder, name), text);
  await write("key.pem", privateKey.export({ type: "pkcs8", format: "pem" }));
  await write("public.pem", publicKey.export({ type: "spki", format: "pem" }));
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "k1" };
  await write("jwks.json", JSON.stringify({ keys: [jwk] }));
  await write("card.json", JSON.stringify(CARD));
  return folder;
}

const SIGN = ["card", "sign", "card.json", "--key", "key.pem", "--kid", "k1"];

/** Signs card.json into signed.json. */
async function signed(folder: string, ...more: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await command([...SIGN, ...more], folder);
  assert.deepEqual([code, stderr], [0, ""]);
  await writeFile(join(folder, "signed.json"), stdout);
  return stdout;
}

const VERIFY = ["card", "verify", "signed.json"];

test("card sign prints the card with a signature, which card verify finds valid", async (t) => {
  const folder = await folderWithKey(t);
  const { signatures, ...card } = JSON.parse(await signed(folder));
  assert.deepEqual(card, CARD);
  assert.equal(signatures.length, 1);
  for (const key of ["public.pem", "jwks.json"]) {
    const { code, stdout, stderr } = await command([...VERIFY, "--key", key], folder);
    assert.deepEqual(
      [code, stdout, stderr],
      [0, "signature 1 EdDSA by k1: valid, in the form of 1.0\n", ""],
    );
  }
});

test("signing again takes the place of the key's own signature, and of no other", async (t) => {
  const folder = await folderWithKey(t);
  const other = { protected: Buffer.from('{"alg":"x","kid":"k2"}').toString("base64url") };
  const signatures = [{ ...other, signature: "s" }];
  await writeFile(join(folder, "card.json"), JSON.stringify({ ...CARD, signatures }));
  const once = await signed(folder);
  await writeFile(join(folder, "card.json"), once);
  const twice = JSON.parse(await signed(folder));
  assert.equal(twice.signatures.length, 2);
  assert.deepEqual(twice.signatures[0], signatures[0]);
});

test("card verify says why no signature is valid, and exits 1", async (t) => {
  const folder = await folderWithKey(t);
  const card = JSON.parse(await signed(folder));
  await writeFile(join(folder, "signed.json"), JSON.stringify({ ...card, name: "Other" }));
  const { code, stdout, stderr } = await command([...VERIFY, "--key", "jwks.json"], folder);
  assert.equal(code, 1);
  assert.match(stdout, /^signature 1 EdDSA by k1: the card is not the one that was signed/);
  assert.equal(stderr, "no signature is valid\n");
});

test("a card without signatures is told, and exits 1", async (t) => {
  const folder = await folderWithKey(t);
  const asked = ["card", "verify", "card.json", "--key", "public.pem"];
  const { code, stderr } = await command(asked, folder);
  assert.deepEqual([code, stderr], [1, "the card is not signed\n"]);
});

test("the address that a card names is asked for keys only where its origin is trusted", async (t) => {
  const folder = await folderWithKey(t);
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(String(req.url));
    void readFile(join(folder, "jwks.json")).then((text) => res.end(text));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await signed(folder, "--jku", `${origin}/set`);

  const elsewhere = await command([...VERIFY, "--trust-jku", "http://127.0.0.1:1"], folder);
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.stdout, /there is no key "k1"/);
  assert.deepEqual(asked, []);

  const trusted = await command([...VERIFY, "--trust-jku", origin], folder);
  assert.equal(trusted.code, 0);
  const named = await command([...VERIFY, "--key", `${origin}/named`], folder);
  assert.equal(named.code, 0);
  assert.deepEqual(asked, ["/set", "/named"]);
});

for (const [title, args, code, error] of [
  [
    "a card that is not there",
    ["card", "sign", "none.json", ...SIGN.slice(3)],
    1,
    /none.json: no such file/,
  ],
  ["a key that is none", [...SIGN, "--key", "card.json"], 1, /card.json: expected a private key/],
  ["a key as the card", ["card", "sign", "jwks.json", ...SIGN.slice(3)], 1, /not an agent card/],
  ["no key to sign with", ["card", "sign", "card.json", "--kid", "k"], 2, /--key/],
  ["no key to verify with", ["card", "verify", "card.json"], 2, /cannot vouch for itself/],
  [
    "a private text for a key",
    ["card", "verify", "card.json", "--key", "none"],
    1,
    /none: no such file/,
  ],
] as const)
  test(`${title} is told, with exit code ${code}`, async (t) => {
    const finished = await command(args, await folderWithKey(t));
    assert.equal(finished.code, code);
    assert.match(finished.stderr, error);
    assert.equal(finished.stdout, "");
  });
