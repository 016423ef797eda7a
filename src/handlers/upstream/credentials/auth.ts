/** The ways in which the gateway says to an agent who it is: each is one header. */
import { SettingError } from "../../../setting-error.ts";
import type { UpstreamAuth } from "../config.ts";
import { TokenSource } from "./oauth.ts";
import { openSecret } from "./secret.ts";

export interface Auth {
  /** In lower case. */
  readonly header: string;
  /** Throws UNAVAILABLE when there is none at the moment. */
  value(): Promise<string>;
  /** Told of a value that the agent did not take; whether there may be another one now. */
  refused(value: string): boolean;
}

export interface AuthDeps {
  readonly baseDir: string;
  now(): number;
}

const BEARER = "Bearer ";

/** Throws a SettingError for secrets that cannot be read. */
export async function openAuth(
  { bearer, basic, apiKey, oauth2 }: UpstreamAuth,
  deps: AuthDeps,
): Promise<Auth> {
  const header = "authorization";
  if (bearer !== undefined) {
    const token = await openSecret(bearer, {
      ...deps,
      setting: "auth.bearer",
      isHeader: true,
    });
    return { header, value: async () => BEARER + (await token()), refused: never };
  }
  if (basic !== undefined) {
    const { username } = basic;
    const password = await openSecret(basic.password, {
      ...deps,
      setting: "auth.basic.password",
      isHeader: false,
    });
    const value = async () => `Basic ${base64(`${username}:${await password()}`)}`;
    return { header, value, refused: never };
  }
  if (apiKey !== undefined) {
    const key = await openSecret(apiKey.value, {
      ...deps,
      setting: "auth.apiKey.value",
      isHeader: true,
    });
    return { header: apiKey.name.toLowerCase(), value: key, refused: never };
  }
  if (oauth2 !== undefined) {
    const secret = { ...deps, setting: "auth.oauth2.clientSecret", isHeader: false };
    const clientSecret = await openSecret(oauth2.clientSecret, secret);
    const tokens = new TokenSource({ settings: oauth2, clientSecret, now: () => deps.now() });
    return {
      header,
      value: async () => BEARER + (await tokens.token()),
      refused: (value) => tokens.refused(value.slice(BEARER.length)),
    };
  }
  throw new SettingError("auth", "expected one of bearer, basic, apiKey, oauth2");
}

/** What is configured stays as it is; a file is read again all by itself. */
function never(): boolean {
  return false;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
