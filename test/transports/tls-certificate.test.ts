import assert from "node:assert/strict";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { tlsMaterialOf } from "../../src/config/tls-material.ts";
import { openCertificate, type Certificate } from "../../src/transports/tls-certificate.ts";
import {
  createAuthority,
  NO_OPENSSL,
  textsOf,
  type Authority,
  type Pair,
} from "../support/certificates.ts";
import { RecordedLog } from "../support/recorded-log.ts";

describe("a listener's certificate", { skip: NO_OPENSSL }, () => {
  let authority: Authority;
  let first: Pair;
  let second: Pair;
  let used: Pair;
  before(async () => {
    authority = await createAuthority();
    first = await authority.server("first");
    second = await authority.server("second");
    used = { cert: join(authority.folder, "used.pem"), key: join(authority.folder, "used.key") };
  });
  after(() => authority.remove());

  const opened = async (
    t: TestContext,
  ): Promise<{ certificate: Certificate; log: RecordedLog }> => {
    await put(first);
    const log = new RecordedLog();
    const settings = { ...used, minVersion: "TLSv1.2", clientCertificates: "off" } as const;
    const place = { at: ["tls"], baseDir: "/", whereOf: () => "config.yaml:1:1" };
    const certificate = await openCertificate({
      files: [used.cert, used.key],
      read: () => tlsMaterialOf({ ...settings, hsts: undefined }, place),
      log,
    });
    t.after(() => certificate.close());
    return { certificate, log };
  };
  const put = async ({ cert, key }: Pair): Promise<void> => {
    await copyFile(cert, used.cert);
    await copyFile(key, used.key);
  };
  const until = async (holds: () => boolean): Promise<void> => {
    for (let tries = 0; !holds(); tries++) {
      assert.ok(tries < 2_000, "it never came");
      await setTimeout(10);
    }
  };
  const complaints = ({ errors }: RecordedLog): number => errors.length;

  test("is read again when its files have changed", async (t) => {
    const { certificate, log } = await opened(t);
    assert.deepEqual(certificate.current, await textsOf(first));
    await put(second);
    const { cert } = await textsOf(second);
    await until(() => certificate.current.cert === cert);
    assert.deepEqual(certificate.current, await textsOf(second));
    assert.ok(log.lines.some(({ message }) => message === "certificate renewed"));
  });

  test("stays as it was while the files are no pair, half-written or gone", async (t) => {
    const { certificate, log } = await opened(t);
    const before = certificate.current;
    const { cert } = await textsOf(second);
    await writeFile(used.cert, cert);
    await until(() => complaints(log) === 1);
    assert.match(
      String(log.errors[0]?.fields["err"]),
      /tls\.key: expected the private key of cert/,
    );
    await writeFile(used.cert, cert.slice(0, 200));
    await until(() => complaints(log) === 2);
    assert.match(String(log.errors[1]?.fields["err"]), /tls\.cert: expected certificates in PEM/);
    await rm(used.cert);
    await until(() => complaints(log) === 3);
    assert.match(String(log.errors[2]?.fields["err"]), /tls\.cert: .*no such file/);
    assert.equal(certificate.current, before);
    await put(second);
    await until(() => certificate.current.cert === cert);
  });

  test("must be a pair from the start on", async () => {
    await put({ cert: first.cert, key: second.key });
    const settings = { ...used, minVersion: "TLSv1.2", clientCertificates: "off" } as const;
    const place = { at: ["ops", "tls"], baseDir: "/", whereOf: () => "config.yaml:3:4" };
    await assert.rejects(tlsMaterialOf({ ...settings, hsts: undefined }, place), {
      message:
        "config.yaml:3:4: ops.tls.key: expected the private key of cert, in PEM without a passphrase",
    });
  });

  test("has authorities in whole certificates", async () => {
    await put(first);
    const clientCa = join(authority.folder, "cut.pem");
    const ca = await readFile(authority.ca, "utf8");
    const place = { at: ["tls"], baseDir: "/", whereOf: () => "" };
    for (const text of ["", "nothing", ca + ca.slice(0, 100), ca.slice(0, -20)]) {
      await writeFile(clientCa, text);
      const settings = { ...used, clientCa, clientCertificates: "required" } as const;
      await assert.rejects(
        tlsMaterialOf({ ...settings, minVersion: "TLSv1.2", hsts: undefined }, place),
        { message: "tls.clientCa: expected certificates in PEM" },
      );
    }
  });
});
