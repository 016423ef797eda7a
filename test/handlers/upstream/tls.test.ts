import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { test, type TestContext } from "node:test";
import {
  tlsMaterialOf,
  type TlsMaterial,
} from "../../../src/handlers/upstream/credentials/tls-material.ts";
import { discover } from "../../../src/handlers/upstream/discovery/discover.ts";
import { checkInterface } from "../../../src/handlers/upstream/health/check.ts";
import { newestCard } from "./support.ts";

const baseDir = fileURLToPath(new URL("./fixtures", import.meta.url));

/** Signed by itself, so that it is its own authority. */
const OWN = { cert: "cert.pem", key: "key.pem" };

const signal = new AbortController().signal;

/** Serves a card to those who show the certificate that it has itself. */
async function serveSecurely(context: TestContext): Promise<string> {
  const { cert = "", key = "" } = await tlsMaterialOf(OWN, baseDir);
  const wanted = { requestCert: true, rejectUnauthorized: false };
  const server = createServer({ cert, key, ca: cert, ...wanted }, ({ socket }, response) => {
    const url = (socket as TLSSocket).authorized ? "/known" : "/unknown";
    const offer = { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
    response.end(JSON.stringify(newestCard(offer)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function urlsOf(url: string, tls: TlsMaterial): Promise<readonly string[]> {
  const headers = async () => ({});
  const deps = { headers, refused: () => false, tls, signal, now: () => 0, baseDir };
  return (await discover({ url }, [], deps)).interfaces.map((each) => each.url);
}

test("trusts the configured authority, and shows the gateway's certificate", async (context) => {
  const url = await serveSecurely(context);
  await assert.rejects(urlsOf(url, {}), /self-signed certificate/);
  const trusting = await tlsMaterialOf({ ca: "cert.pem" }, baseDir);
  assert.deepEqual(await urlsOf(url, trusting), [`${url}/unknown`]);
  const known = await tlsMaterialOf({ ca: "cert.pem", ...OWN }, baseDir);
  assert.deepEqual(await urlsOf(url, known), [`${url}/known`]);
});

test("checks interfaces with the same trust, and gRPC for HTTP/2", async (context) => {
  const url = await serveSecurely(context);
  const check = (binding: "GRPC" | "JSONRPC", tls: TlsMaterial) => {
    const deps = { cards: () => [], headers: async () => ({}), tls };
    return checkInterface({ url, binding, version: "1.0" }, deps, signal);
  };
  await assert.rejects(check("JSONRPC", {}), /self-signed certificate/);
  const trusting = await tlsMaterialOf({ ca: "cert.pem" }, baseDir);
  await check("JSONRPC", trusting);
  await assert.rejects(check("GRPC", trusting), /no application protocol/);
});

test("refuses a key that is not that of the certificate", async () => {
  await assert.rejects(tlsMaterialOf({ cert: "cert.pem", key: "cert.pem" }, baseDir), {
    message: "tls.key: expected the private key of tls.cert, in PEM without a passphrase",
  });
});
