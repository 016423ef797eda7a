/**
 * An authority for certificates and an issuer of tokens, for one run: writes certificates, a key set and what callers
 * hold into the folder that is its argument, and then answers as an OpenID provider and to introspection (RFC 7662) until
 * it is ended.
 */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { makeCertificates } from "./certificates.mjs";
import { newKey, signed } from "./tokens.mjs";

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: node issuer.mjs FOLDER");

const GATEWAY = `Basic ${btoa("gateway:gateway-secret")}`;
const HOUR = 3600;
const now = Math.floor(Date.now() / 1000);

const key = newKey("interop");
const stranger = newKey("interop");
const keySet = { keys: [key.jwk] };
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (data) => (body += data));
  request.on("end", () => {
    const [status, answer] = answerTo(request, body);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answer));
  });
});
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  writeFileSync(join(folder, "jwks.json"), JSON.stringify(keySet));
  writeFileSync(join(folder, "callers.json"), JSON.stringify(callersOf(issuer)));
  console.log(`ready ${issuer}`);
});

function answerTo({ url, headers }, body) {
  const issuer = `http://${headers.host}`;
  if (url === "/keys") return [200, keySet];
  if (url === "/.well-known/openid-configuration")
    return [200, { issuer, jwks_uri: `${issuer}/keys` }];
  if (url !== "/introspect") return [404, {}];
  if (headers.authorization !== GATEWAY) return [401, { error: "invalid_client" }];
  const sub = /^opaque-(alice|bob)$/.exec(new URLSearchParams(body).get("token") ?? "")?.[1];
  const known = { active: true, sub, aud: "interop", exp: now + HOUR };
  return [200, sub === undefined ? { active: false } : known];
}

/** What each caller holds, by the names that the card gives to the ways of letting callers in. */
function callersOf(issuer) {
  const certificates = makeCertificates(folder, ["alice", "bob", "mallory"]);
  const tokensOf = (sub, { exp = now + HOUR, by = key } = {}) => {
    const claims = { sub, aud: "interop", iat: now - HOUR, exp };
    return {
      jwt: signed({ iss: "https://tokens.example", ...claims }, by),
      oidc: signed({ iss: issuer, ...claims }, by),
    };
  };
  const known = (name) => ({
    mtls: certificates[name],
    apiKey: `interop-key-of-${name}-0123456789abcdef0123`,
    basic: `${name}:${name}-password`,
    ...tokensOf(name),
    introspection: `opaque-${name}`,
  });
  return {
    ca: join(folder, "ca.pem"),
    alice: known("alice"),
    bob: known("bob"),
    // A certificate of the authority that is nobody's, and tokens that another key has signed.
    wrong: {
      mtls: certificates.mallory,
      apiKey: "interop-key-of-nobody-0123456789abcdef012",
      basic: "alice:bob-password",
      ...tokensOf("alice", { by: stranger }),
      introspection: "opaque-nobody",
    },
    expired: tokensOf("alice", { exp: now - HOUR / 2 }),
  };
}
