/** Callers that bring a user name and a password (RFC 7617). */
import type { Authenticator } from "../authenticator.ts";
import { authorizationOf } from "../credentials.ts";
import type { LoginGuard } from "../login-guard.ts";
import type { Principal } from "../../protocol/principal.ts";
import { configuredPrincipal } from "../principal.ts";
import { BadCredentials } from "../refusal.ts";
import { SettingError } from "../../setting-error.ts";
import type { BasicSettings } from "../settings.ts";
import { PasswordCheck, type Login } from "./password-check.ts";
import { passwordHashOf, type PasswordHash } from "./password-hash.ts";

export interface BasicDeps {
  /** Where the settings stand, in errors. */
  readonly path: string;
  readonly guard: LoginGuard;
  now(): number;
}

/** Throws a SettingError for users that cannot log in, and for two of one name. */
export function basicAuthenticator(settings: BasicSettings, deps: BasicDeps): Authenticator {
  const { guard } = deps;
  const { principals, hashes } = usersIn(settings, deps.path);
  const check = new PasswordCheck(hashes, () => deps.now());
  return {
    method: "basic",
    challenge: { scheme: "Basic", parameters: { charset: "UTF-8" } },
    async authenticate(credentials) {
      const given = authorizationOf(credentials, "Basic");
      if (given === undefined) return undefined;
      const login = loginIn(given);
      const attempt = { address: credentials.address, name: login.username };
      const isRight = await check.isRight(login, {
        mayTry: () => guard.check(attempt),
        failed: () => guard.failed(attempt),
      });
      const principal = isRight ? principals.get(login.username) : undefined;
      if (principal === undefined)
        throw new BadCredentials("the user name or the password is wrong");
      guard.succeeded(attempt);
      return principal;
    },
  };
}

interface Users {
  readonly principals: ReadonlyMap<string, Principal>;
  readonly hashes: ReadonlyMap<string, PasswordHash>;
}

function usersIn({ users }: BasicSettings, path: string): Users {
  const principals = new Map<string, Principal>();
  const hashes = new Map<string, PasswordHash>();
  for (const [index, user] of users.entries()) {
    const at = `${path}.users[${index}]`;
    const { username, principal = { id: username } } = user;
    if (!/^[^:\p{Cc}]+$/u.test(username) || username !== username.normalize("NFC"))
      throw new SettingError(`${at}.username`, "expected printable text without a colon");
    if (principals.has(username))
      throw new SettingError(`${at}.username`, "expected a name that no other user has");
    const hash = passwordHashOf(user.hash);
    if (hash === undefined)
      throw new SettingError(`${at}.hash`, "expected a hash such as $scrypt$ln=15,r=8,p=3$…");
    hashes.set(username, hash);
    const named = { path: `${at}.principal`, method: "basic" } as const;
    principals.set(username, configuredPrincipal(principal, named));
  }
  return { principals, hashes };
}

function loginIn(base64: string): Login {
  const text = textOf(base64);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon === -1)
    throw new BadCredentials("the basic credentials are not readable");
  return { username: text.slice(0, colon).normalize("NFC"), password: text.slice(colon + 1) };
}

function textOf(base64: string): string | undefined {
  if (!/^[A-Za-z\d+/]+={0,2}$/.test(base64)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(base64, "base64"),
    );
  } catch {
    return undefined;
  }
}
