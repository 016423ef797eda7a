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

test("card verify wants signatures over what clients of each version read of a hybrid", async (t) => {
  const folder = await folderWithKey(t);
  const legacy = { protocolVersion: "0.3.0", url: "u", preferredTransport: "GRPC" };
  await writeFile(join(folder, "card.json"), JSON.stringify({ ...CARD, ...legacy }));
  const whole = JSON.parse(await signed(folder));
  const verify = [...VERIFY, "--key", "public.pem"];
  assert.equal((await command(verify, folder)).code, 0);
  for (const [changed, version] of [
    [{ url: "evil" }, "0.3"],
    [{ supportedInterfaces: [{ ...CARD.supportedInterfaces[0], url: "evil" }] }, "1.0"],
  ] as const) {
    await writeFile(join(folder, "signed.json"), JSON.stringify({ ...whole, ...changed }));
    const { code, stdout, stderr } = await command(verify, folder);
    assert.equal(code, 1);
    assert.match(stdout, /: valid, /);
    assert.ok(stderr.includes(`what clients of ${version} read`), stderr);
  }
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
  assert.equal(
    elsewhere.stdout,
    `signature 1 EdDSA by k1: there is no key "k1", and ${origin}/set, where it is said to be, is not at a trusted origin\n`,
  );
  assert.deepEqual(asked, []);

  const trusted = await command([...VERIFY, "--trust-jku", origin], folder);
  assert.equal(trusted.code, 0);
  const named = await command([...VERIFY, "--key", `${origin}/named`], folder);
  assert.equal(named.code, 0);
  assert.deepEqual(asked, ["/set", "/named"]);
});

test("keys are not fetched from where a trusted address sends us on to", async (t) => {
  const folder = await folderWithKey(t);
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(String(req.url));
    if (req.url === "/evil") void readFile(join(folder, "jwks.json")).then((text) => res.end(text));
    else res.writeHead(302, { location: "/evil" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await signed(folder, "--jku", `${origin}/set`);
  for (const keys of [
    ["--trust-jku", origin],
    ["--key", `${origin}/set`],
  ]) {
    const { code, stdout, stderr } = await command([...VERIFY, ...keys], folder);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.ok(stderr.includes(`no answer from ${origin}/set: unexpected redirect`), stderr);
  }
  assert.deepEqual(asked, ["/set", "/set"]);
});

const SECURED = { ...CARD, securityRequirements: [{ schemes: { k: { list: [] } } }] };

for (const [title, card] of [
  ["", SECURED],
  [" with other empty members", { ...SECURED, description: "" }],
] as const)
  test(`card verify fails for a card${title} from which a requirement without scopes was taken`, async (t) => {
    const folder = await folderWithKey(t);
    await writeFile(join(folder, "card.json"), JSON.stringify(card));
    const { securityRequirements: _, ...open } = JSON.parse(await signed(folder));
    const verify = [...VERIFY, "--key", "public.pem"];
    const whole = await command(verify, folder);
    assert.equal(whole.code, 0);
    assert.match(
      whole.stdout,
      /^signature 2 .*: valid, in the form of 1\.0, without empty members, but it says nothing of securityRequirements$/m,
    );
    await writeFile(join(folder, "signed.json"), JSON.stringify(open));
    const { code, stderr } = await command(verify, folder);
    assert.deepEqual(
      [code, stderr],
      [1, "no valid signature covers what clients of 1.0 read of the card\n"],
    );
  });

test("card verify fails for a card into which an interface without an address was put", async (t) => {
  const folder = await folderWithKey(t);
  const card = JSON.parse(await signed(folder));
  card.supportedInterfaces.unshift({});
  await writeFile(join(folder, "signed.json"), JSON.stringify(card));
  const { code, stdout } = await command([...VERIFY, "--key", "public.pem"], folder);
  assert.equal(code, 1);
  assert.match(stdout, /but it says nothing of supportedInterfaces$/m);
});

test("a card with too many signatures is not looked at", async (t) => {
  const folder = await folderWithKey(t);
  const card = JSON.parse(await signed(folder));
  const signatures = Array(101).fill(card.signatures[0]);
  await writeFile(join(folder, "signed.json"), JSON.stringify({ ...card, signatures }));
  const { code, stderr } = await command([...VERIFY, "--key", "public.pem"], folder);
  const expected = "signed.json: 101 signatures, at most 100 are looked at\n";
  assert.deepEqual([code, stderr], [1, expected]);
});

test("keys that are not used are told, and why", async (t) => {
  const folder = await folderWithKey(t);
  const { keys } = JSON.parse(await readFile(join(folder, "jwks.json"), "utf8"));
  const set = { keys: [...keys, { ...keys[0], kid: "k2", use: "enc" }] };
  await writeFile(join(folder, "jwks.json"), JSON.stringify(set));
  await signed(folder);
  const { code, stderr } = await command([...VERIFY, "--key", "jwks.json"], folder);
  assert.deepEqual([code, stderr], [0, 'jwks.json: key "k2" is not used: its use is "enc"\n']);
});

test("a byte order mark before a card is passed over", async (t) => {
  const folder = await folderWithKey(t);
  await writeFile(join(folder, "card.json"), `\ufeff${JSON.stringify(CARD)}`);
  const card = JSON.parse(await signed(folder));
  assert.equal(card.name, "N");
});

const PARAMS = { capabilities: { extensions: [{ uri: "x", params: { p: "PARAM" } }] } };

for (const [title, card, error] of [
  [
    "a number beyond all",
    JSON.stringify({ ...CARD, ...PARAMS }).replace('"PARAM"', "1e400"),
    /1e400 is no finite number/,
  ],
  [
    "half a character",
    JSON.stringify({ ...CARD, name: "\ud800" }),
    /"\\ud800" has half a character/,
  ],
  [
    "a name twice",
    JSON.stringify(CARD).replace("{", '{"na\\u006de":"M",'),
    /the name "name" stands twice/,
  ],
  [
    "more levels than anybody needs",
    JSON.stringify({ ...CARD, ...PARAMS }).replace('"PARAM"', "[".repeat(1e5) + "]".repeat(1e5)),
    /nested deeper than 100 levels/,
  ],
  ["a number for a name", JSON.stringify({ ...CARD, name: 7 }), /name/],
  ["a number for a name in 0.3", JSON.stringify({ url: "u", name: 7 }), /name: expected text/],
] as const)
  test(`a card with ${title} is not signed, and not verified`, async (t) => {
    const folder = await folderWithKey(t);
    const { signatures } = JSON.parse(await signed(folder));
    await writeFile(join(folder, "card.json"), card);
    const { code, stdout, stderr } = await command(SIGN, folder);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^card\.json: [^\n]+\n$/);
    assert.match(stderr, error);

    const text = card.replace("{", `{"signatures":${JSON.stringify(signatures)},`);
    await writeFile(join(folder, "signed.json"), text);
    const verified = await command([...VERIFY, "--key", "public.pem"], folder);
    assert.equal(verified.code, 1);
    assert.doesNotMatch(verified.stderr, /\n {4}at /);
  });

test("card --help says which command is the default", async () => {
  const { stdout } = await command(["card", "--help"]);
  assert.match(stdout, /show an agent's card \(the default command\)/);
});

for (const [title, args, code, error] of [
  [
    "a card that is not there",
    ["card", "sign", "none.json", ...SIGN.slice(3)],
    1,
    /none.json: no such file/,
  ],
  ["a key that is none", [...SIGN, "--key", "card.json"], 1, /card.json: expected a private key/],
  ["a key that is not there", [...SIGN, "--key", "no.pem"], 1, /^\S+no.pem: no such file\n$/],
  ["a key as the card", ["card", "sign", "jwks.json", ...SIGN.slice(3)], 1, /not an agent card/],
  [
    "a private key to verify with",
    ["card", "verify", "card.json", "--key", "key.pem"],
    1,
    /key.pem: a private key where a public one was expected/,
  ],
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
