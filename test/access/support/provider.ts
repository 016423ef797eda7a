/** A real authorization server, with one client that gets tokens for itself. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { Provider } from "oidc-provider";

export const CLIENT = { id: "robot", secret: "r/b:t secret" };
/** What the gateway signs in with to ask about tokens. */
export const GATEWAY = { id: "gate:way", secret: "g%t way+" };
/** Tokens for the first are signed, those for the second mean something to their issuer only. */
export const SIGNED = "https://signed.example";
export const OPAQUE = "https://opaque.example";

export interface StartedProvider {
  readonly issuer: string;
  readonly introspectionUrl: string;
  /** An access token by the client credentials grant, for one of the two resources. */
  token(resource: string, scope?: string): Promise<string>;
  /** Ends a token (RFC 7009). */
  revoke(token: string): Promise<void>;
}

export async function startProvider(t: TestContext): Promise<StartedProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const handle = providerAt(issuer, await newKey()).callback();
  server.on("request", (req, res) => void handle(req, res));
  const post = async (path: string, fields: Record<string, string>): Promise<Response> => {
    const pair = `${encoded(CLIENT.id)}:${encoded(CLIENT.secret)}`;
    const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
    const body = new URLSearchParams(fields);
    const answer = await fetch(`${issuer}${path}`, {
      method: "POST",
      headers: { authorization },
      body,
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  return {
    issuer,
    introspectionUrl: `${issuer}/token/introspection`,
    async token(resource, scope = "send read") {
      const answer = await post("/token", { grant_type: "client_credentials", resource, scope });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    async revoke(token) {
      await post("/token/revocation", { token });
    },
  };
}

function providerAt(issuer: string, key: JWK): Provider {
  const client = { redirect_uris: [], response_types: [] };
  return new Provider(issuer, {
    jwks: { keys: [key] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    clients: [
      {
        ...client,
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: ["client_credentials"],
      },
      { ...client, client_id: GATEWAY.id, client_secret: GATEWAY.secret, grant_types: [] },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: "send read",
          audience: resource,
          accessTokenTTL: 600,
          ...(resource === SIGNED
            ? { accessTokenFormat: "jwt", jwt: { sign: { alg: "ES256" } } }
            : { accessTokenFormat: "opaque" }),
        }),
      },
    },
  });
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: "provider", use: "sig", alg: "ES256" };
}

/** As form fields are (RFC 6749, 2.3.1). */
function encoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
