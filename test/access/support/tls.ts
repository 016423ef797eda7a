/** Certificates made with openssl, and what a server sees of them on a real connection. */
import { execFile } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { connect, createServer, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { certificateOf, type Certificate } from "../../../src/access/certificate.ts";
import { peerCertificateOf } from "../../../src/transports/tls-peer.ts";
import { directoryWith } from "./directory.ts";

const run = promisify(execFile);

const NEW_KEY = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";

export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
  /** SHA-256 in base64url, computed from the certificate's own bytes. */
  readonly thumbprint: string;
}

export interface Authority {
  readonly ca: string;
  /** A certificate of that subject (`/CN=a`) with those alternative names (`DNS:a,URI:b`). */
  issue(subject: string, names: string): Promise<IssuedCertificate>;
}

export async function newAuthority(t: TestContext): Promise<Authority> {
  const cwd = await directoryWith(t);
  const openssl = (command: string) => run("openssl", command.split(" "), { cwd });
  const text = (name: string) => readFile(join(cwd, name), "utf8");
  await openssl(`req -x509 -days 1 -subj /CN=authority -keyout ca.key -out ca.pem ${NEW_KEY}`);
  return {
    ca: await text("ca.pem"),
    async issue(subject, names) {
      await writeFile(join(cwd, "names"), `subjectAltName=${names}\n`);
      await openssl(`req -subj ${subject} -keyout key.pem -out csr.pem ${NEW_KEY}`);
      const issuer = "-CA ca.pem -CAkey ca.key -CAcreateserial";
      await openssl(`x509 -req -days 1 -in csr.pem -extfile names -out cert.pem ${issuer}`);
      const cert = await text("cert.pem");
      const { raw } = new X509Certificate(cert);
      const thumbprint = createHash("sha256").update(raw).digest("base64url");
      return { cert, key: await text("key.pem"), thumbprint };
    },
  };
}

/** What a server that trusts the authority sees of a client with that certificate. */
export async function presented(
  authority: Authority,
  client: IssuedCertificate | undefined,
): Promise<Certificate | undefined> {
  const { cert, key } = await authority.issue("/CN=localhost", "DNS:localhost");
  const tls = { cert, key, ca: authority.ca, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const seen = new Promise<TLSSocket>((resolve, reject) => {
    server.on("secureConnection", resolve).on("tlsClientError", reject);
  });
  const own = client === undefined ? {} : { cert: client.cert, key: client.key };
  const socket = connect({
    port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: authority.ca,
    ...own,
  });
  socket.on("error", () => {});
  try {
    const peer = await seen;
    const shown = peerCertificateOf({ socket: peer });
    return shown && certificateOf(shown);
  } finally {
    socket.destroy();
    server.close();
  }
}
