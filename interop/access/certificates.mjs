/** An authority, the certificate of a server on this machine, and those of callers, as openssl makes them. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** The files of each caller, whose common name is what it is called. */
export function makeCertificates(folder, callers) {
  const file = (name) => join(folder, name);
  const openssl = (...args) => execFileSync("openssl", args, { stdio: "pipe" });
  const [ca, caKey] = [file("ca.pem"), file("ca.key")];
  const own = ["-x509", "-subj", "/CN=authority", "-keyout", caKey, "-out", ca, "-days", "2"];
  openssl("req", ...KEY, ...own);
  const issue = (name, extensions) => {
    const pair = { cert: file(`${name}.pem`), key: file(`${name}.key`) };
    const [request, settings] = [file(`${name}.csr`), file(`${name}.ext`)];
    openssl("req", ...KEY, "-subj", `/CN=${name}`, "-keyout", pair.key, "-out", request);
    writeFileSync(settings, extensions);
    const by = ["-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-days", "1"];
    openssl("x509", "-req", "-in", request, ...by, "-extfile", settings, "-out", pair.cert);
    return pair;
  };
  issue("server", "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  const made = callers.map((name) => [name, issue(name, "extendedKeyUsage=clientAuth\n")]);
  return Object.fromEntries(made);
}
