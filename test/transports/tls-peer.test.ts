import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { after, before, describe, test } from "node:test";
import { connect, type ConnectionOptions, type PeerCertificate } from "node:tls";
import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type handleUnaryCall,
} from "@grpc/grpc-js";
import { LIMITS } from "../support/transports.ts";
import { createListener, type Listener } from "../../src/transports/listener.ts";
import { createTlsGate } from "../../src/transports/tls-gate.ts";
import { peerCertificateOf } from "../../src/transports/tls-peer.ts";
import {
  createAuthority,
  NO_OPENSSL,
  textsOf,
  type Authority,
  type Pair,
} from "../support/certificates.ts";

/** A method that answers with what it is told of the caller. */
const WHO = {
  path: "/test/Who",
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (text: string) => Buffer.from(text),
  responseDeserialize: (bytes: Buffer) => bytes.toString(),
} as const;

const who: handleUnaryCall<Buffer, string> = (call, respond) =>
  respond(null, JSON.stringify(peerCertificateOf(call) ?? null));

describe("a caller's certificate", { skip: NO_OPENSSL }, () => {
  let authority: Authority;
  let listener: Listener;
  let port: number;
  let ca: string;

  before(async () => {
    authority = await createAuthority();
    ca = await readFile(authority.ca, "utf8");
    const texts = await textsOf(await authority.server());
    const grpc = new Server();
    grpc.addService({ who: WHO }, { who });
    const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
    listener = createListener({
      limits: LIMITS,
      connections: { admit: () => true },
      http: (req, res) => void res.end(JSON.stringify(peerCertificateOf(req) ?? null)),
      grpc: {
        inject: (connection) => injector.injectConnection(connection),
        stop: async () => grpc.forceShutdown(),
      },
      gate: (protocols, secured) =>
        createTlsGate({
          certificate: { current: { ...texts, ca }, close: () => undefined },
          minVersion: "TLSv1.2",
          clientCertificates: "optional",
          protocols,
          secured,
          log: { debug: () => undefined },
        }),
    });
    ({ port } = await listener.listen({ host: "127.0.0.1", port: 0 }));
  });
  after(async () => {
    await listener.stop(0);
    await authority.remove();
  });

  const overHttp = (own: ConnectionOptions): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port, ca, agent: false, ...own };
      const outgoing = request(options, (answer) => {
        void answer
          .setEncoding("utf8")
          .toArray()
          .then(([text]) => resolve(JSON.parse(String(text))), reject);
      });
      outgoing.on("error", reject).end();
    });
  const overGrpc = (own: Partial<Pair>): Promise<unknown> => {
    const [key, cert] = [own.key, own.cert].map((text) => (text ? Buffer.from(text) : null));
    const tls = credentials.createSsl(Buffer.from(ca), key, cert);
    const client = new Client(`127.0.0.1:${port}`, tls);
    return new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = WHO;
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        Buffer.alloc(0),
        (error, text) => {
          client.close();
          if (error) reject(error);
          else resolve(JSON.parse(String(text)));
        },
      );
    });
  };

  test("is told of a connection that resumes a session", async () => {
    const own = await textsOf(await authority.issue("again", "/CN=again", "DNS:again"));
    const first = connect({ host: "127.0.0.1", port, ca, ...own });
    const [session] = (await once(first, "session")) as [Buffer];
    first.destroy();
    assert.deepEqual(await overHttp({ ...own, session }), await overHttp(own));
  });

  for (const [binding, asked] of [
    ["HTTP", overHttp],
    ["gRPC", overGrpc],
  ] as const) {
    test(`is told over ${binding} with its names`, async () => {
      const names = "DNS:caller.example,URI:spiffe://example/caller,email:a@b.example,IP:10.0.0.1";
      const own = await textsOf(await authority.issue("caller", "/O=Example/CN=caller", names));
      const { fingerprint256, ...rest } = (await asked(own)) as Record<string, unknown>;
      assert.match(String(fingerprint256), /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
      assert.deepEqual(rest, {
        commonName: "caller",
        names: [
          "DNS:caller.example",
          "URI:spiffe://example/caller",
          "email:a@b.example",
          "IP Address:10.0.0.1",
        ],
      });
    });

    test(`is told over ${binding} as it is, with a comma in a name`, async () => {
      const names = "@names\n[names]\nURI.1=https://x/?a, DNS:admin.example\nDNS.1=b.example";
      const own = await textsOf(await authority.issue("comma", "/O=Example", names));
      const { commonName, names: told } = (await asked(own)) as Record<string, unknown>;
      assert.equal(commonName, undefined);
      assert.deepEqual(told, ["URI:https://x/?a, DNS:admin.example", "DNS:b.example"]);
    });

    test(`is not told over ${binding} where there is none, or none that is trusted`, async () => {
      assert.equal(await asked({}), null);
      const others = await createAuthority();
      const own = await textsOf(await others.issue("caller", "/CN=caller", "DNS:caller"));
      await others.remove();
      assert.equal(await asked(own), null);
    });
  }
});

test("a list of names that is not as expected has none", () => {
  for (const subjectaltname of ["DNS", 'DNS:"a', 'DNS:a"b, DNS:c', "DNS:a,DNS:b"]) {
    const shown: Partial<PeerCertificate> = {
      raw: Buffer.from("x"),
      subject: {} as PeerCertificate["subject"],
      subjectaltname,
      fingerprint256: "AB",
    };
    const sslPeerCertificate = shown as PeerCertificate;
    const told = peerCertificateOf({ getAuthContext: () => ({ sslPeerCertificate }) });
    assert.deepEqual(told?.names, [], subjectaltname);
  }
});
