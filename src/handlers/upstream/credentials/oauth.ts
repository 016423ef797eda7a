/** Access tokens by the client credentials grant (RFC 6749, 4.4), each used until shortly before it expires. */
import {
  allowInsecureRequests,
  clientCredentialsGrantRequest,
  ClientSecretBasic,
  processClientCredentialsResponse,
} from "oauth4webapi";
import { A2AError } from "../../../protocol/errors.ts";
import type { UpstreamOAuth2 } from "../config.ts";
import type { OpenSecret } from "./secret.ts";

/** Milliseconds that a token request may take. */
const PATIENCE = 10_000;

/** For how long a token is used that does not say when it expires, in milliseconds. */
const UNSAID_LIFETIME = 300_000;

/** How long before its end a token is renewed, at most, in milliseconds; a short-lived one in its last tenth. */
const MARGIN = 60_000;

/** How long a failure counts for everybody, in milliseconds: the authorization server is not asked for each call. */
const FAILURE_LASTS = 5_000;

/** A token that is refused so soon after it came would not be bettered by another one, in milliseconds. */
const YOUNG = 10_000;

interface Token {
  readonly text: string;
  readonly since: number;
  readonly renewAt: number;
  readonly expiresAt: number;
}

export interface TokenSourceInput {
  readonly settings: Omit<UpstreamOAuth2, "clientSecret">;
  readonly clientSecret: OpenSecret;
  now(): number;
}

export class TokenSource {
  readonly #input: TokenSourceInput;
  #token: Token | undefined;
  #renewal: Promise<Token> | undefined;
  #failure: { readonly error: A2AError; readonly until: number } | undefined;

  constructor(input: TokenSourceInput) {
    this.#input = input;
  }

  /** Many who ask at a time cause one request. Throws UNAVAILABLE while no token can be had. */
  async token(): Promise<string> {
    const token = this.#token;
    const now = this.#input.now();
    if (token === undefined || now >= token.expiresAt) return (await this.#renewed()).text;
    // Until it expires there is no need to wait for the next one, nor to mind that it did not come.
    if (now >= token.renewAt) void this.#renewed().catch(() => {});
    return token.text;
  }

  /** Told of a token that the agent did not take; whether another one may be had. */
  refused(text: string): boolean {
    const token = this.#token;
    if (token === undefined || token.text !== text) return true;
    if (this.#input.now() - token.since < YOUNG) return false;
    this.#token = undefined;
    return true;
  }

  #renewed(): Promise<Token> {
    const failure = this.#failure;
    if (failure !== undefined && this.#input.now() < failure.until)
      return Promise.reject(failure.error);
    this.#renewal ??= this.#request().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #request(): Promise<Token> {
    try {
      const token = await requested(this.#input);
      this.#token = token;
      this.#failure = undefined;
      return token;
    } catch (cause) {
      const retryAfter = FAILURE_LASTS / 1000;
      const error = new A2AError("UNAVAILABLE", "the gateway cannot sign in to the agent", {
        cause,
        retryAfter,
      });
      this.#failure = { error, until: this.#input.now() + FAILURE_LASTS };
      throw error;
    }
  }
}

async function requested({ settings, clientSecret, now }: TokenSourceInput): Promise<Token> {
  const { tokenUrl, clientId, scopes = [], audience } = settings;
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const since = now();
  const answer = await clientCredentialsGrantRequest(
    server,
    client,
    ClientSecretBasic(await clientSecret()),
    {
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(audience !== undefined && { audience }),
    },
    {
      signal: AbortSignal.timeout(PATIENCE),
      // Whoever configures an http address means it.
      [allowInsecureRequests]: new URL(tokenUrl).protocol === "http:",
    },
  );
  const given = await processClientCredentialsResponse(server, client, answer);
  if (given.token_type !== "bearer") throw new Error(`a token of the type ${given.token_type}`);
  const lifetime = given.expires_in === undefined ? UNSAID_LIFETIME : given.expires_in * 1000;
  const expiresAt = since + lifetime;
  const renewAt = expiresAt - Math.min(MARGIN, lifetime / 10);
  return { text: given.access_token, since, renewAt, expiresAt };
}
