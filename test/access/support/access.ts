/** An access section that is opened for a test, and requests to it. */
import assert from "node:assert/strict";
import { openAccess, type Access } from "../../../src/access/access.ts";
import type { ApiKeyStore } from "../../../src/core/ports/api-key-store.ts";
import type { Credentials } from "../../../src/access/credentials.ts";
import type { AccessSettings, AuthenticatorSettings } from "../../../src/access/settings.ts";
import { A2AError, type ErrorReason } from "../../../src/protocol/errors.ts";
import type { Principal } from "../../../src/protocol/principal.ts";
import { RecordedLog } from "../../support/recorded-log.ts";

/** A clock that stands still until a test moves it, and ids in order. */
export class HandClock {
  time: number;
  #ids = 0;

  constructor(time = Date.now()) {
    this.time = time;
  }

  readonly now = (): number => this.time;

  readonly newId = (): string => `id-${++this.#ids}`;
}

/** A promise in any case, so that tests need not tell when it is one. */
export interface OpenedAccess {
  authenticate(credentials: Credentials): Promise<Principal>;
  /** Who calls where that is said at once; undefined where somebody has to be waited for. */
  atOnce(credentials: Credentials): Principal | undefined;
  readonly clock: HandClock;
  readonly log: RecordedLog;
}

export interface AccessInput extends Partial<Omit<AccessSettings, "authenticators">> {
  readonly baseDir?: string;
  readonly apiKeys?: ApiKeyStore;
}

export async function accessBy(
  authenticators: readonly AuthenticatorSettings[],
  { baseDir = ".", apiKeys, mode = "required", ...others }: AccessInput = {},
): Promise<OpenedAccess> {
  const clock = new HandClock();
  const log = new RecordedLog();
  const settings: AccessSettings = { mode, authenticators, ...others };
  const access = await openAccess(settings, { baseDir, apiKeys, clock, log });
  return {
    authenticate: async (credentials) => access.authenticate(credentials),
    atOnce(credentials) {
      const asked = access.authenticate(credentials);
      if (!(asked instanceof Promise)) return asked;
      asked.catch(() => {});
      return undefined;
    },
    clock,
    log,
  };
}

export function request(given: Partial<Credentials> = {}): Credentials {
  return {
    headers: {},
    query: new URLSearchParams(),
    certificate: undefined,
    address: "192.0.2.1",
    ...given,
  };
}

export function bearer(token: string, given: Partial<Credentials> = {}): Credentials {
  return request({ ...given, headers: { authorization: `Bearer ${token}` } });
}

export function basic(username: string, password: string, address = "192.0.2.1"): Credentials {
  const base64 = Buffer.from(`${username}:${password}`).toString("base64");
  return request({ address, headers: { authorization: `Basic ${base64}` } });
}

export interface Refusal {
  readonly reason: ErrorReason;
  readonly message: string;
  readonly challenges: readonly string[];
  readonly retryAfter: number | undefined;
}

/** Why a request is not let in; fails when it is. */
export async function refusalOf(
  access: Pick<Access, "authenticate">,
  credentials: Credentials,
): Promise<Refusal> {
  try {
    const { id } = await access.authenticate(credentials);
    return assert.fail(`let in as ${JSON.stringify(id)}`);
  } catch (thrown) {
    if (!A2AError.is(thrown)) throw thrown;
    const { reason, message, retryAfter, challenges } = thrown;
    return { reason, message, challenges, retryAfter };
  }
}
