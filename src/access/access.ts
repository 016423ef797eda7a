/** Finds out who calls, or says why nobody is let in (spec 7.4). */
import { decisionOf, type Audit } from "../core/ports/audit.ts";
import type { Clock } from "../core/ports/clock.ts";
import { A2AError } from "../protocol/errors.ts";
import type { Authenticator } from "./authenticator.ts";
import { openAuthenticators, type AuthenticatorDeps } from "./authenticators.ts";
import type { Credentials } from "./credentials.ts";
import { UNASKED, type Method, type Principal } from "../protocol/principal.ts";
import { anonymous } from "./principal.ts";
import { BadCredentials, needed, refused, type Challenge } from "./refusal.ts";
import { SettingError } from "../setting-error.ts";
import type { AccessSettings } from "./settings.ts";

export interface AccessDeps extends Omit<AuthenticatorDeps, "now"> {
  readonly clock: Clock;
  /** Undefined: nobody writes down who was refused. */
  readonly audit?: Audit | undefined;
}

export interface Access {
  /**
   * Who calls: the first authenticator that finds credentials of its kind decides. Throws UNAUTHENTICATED, with the
   * values of WWW-Authenticate as `challenges`, where there are none but must be and where they are not good;
   * RATE_LIMITED after too many wrong guesses; UNAVAILABLE where nobody can say at the moment. Answers and throws at once
   * where nobody has to be waited for.
   */
  authenticate(credentials: Credentials): Principal | Promise<Principal>;
}

/** Throws a SettingError for settings that cannot be used. */
export async function openAccess(settings: AccessSettings, deps: AccessDeps): Promise<Access> {
  if (settings.mode === "off") return { authenticate: () => UNASKED };
  if (settings.authenticators.length === 0)
    throw new SettingError("authenticators", "expected at least one where mode is not off");
  const { clock, baseDir, apiKeys, log } = deps;
  const now = () => clock.now();
  const opened = await openAuthenticators(settings.authenticators, { baseDir, apiKeys, log, now });
  return new AskingAccess(opened, settings, deps);
}

class AskingAccess implements Access {
  readonly #authenticators: readonly Authenticator[];
  readonly #challenges: readonly Challenge[];
  readonly #settings: Pick<AccessSettings, "mode" | "anonymous">;
  readonly #deps: Pick<AccessDeps, "clock" | "log" | "audit">;

  constructor(
    authenticators: readonly Authenticator[],
    settings: Pick<AccessSettings, "mode" | "anonymous">,
    deps: Pick<AccessDeps, "clock" | "log" | "audit">,
  ) {
    this.#authenticators = authenticators;
    this.#challenges = authenticators.map(({ challenge }) => challenge);
    this.#settings = settings;
    this.#deps = deps;
  }

  authenticate(credentials: Credentials): Principal | Promise<Principal> {
    return this.#askFrom(0, credentials);
  }

  /** Asks the authenticators from that one on. */
  #askFrom(first: number, credentials: Credentials): Principal | Promise<Principal> {
    const authenticator = this.#authenticators[first];
    if (authenticator === undefined) return this.#unknown(credentials);
    let asked;
    try {
      asked = authenticator.authenticate(credentials);
    } catch (thrown) {
      throw this.#refusal(thrown, credentials, authenticator);
    }
    if (asked === undefined) return this.#askFrom(first + 1, credentials);
    if (!(asked instanceof Promise)) return asked;
    return asked.then(
      (principal) => principal ?? this.#askFrom(first + 1, credentials),
      (thrown: unknown) => {
        throw this.#refusal(thrown, credentials, authenticator);
      },
    );
  }

  /** Whoever brought nothing that an authenticator takes. */
  #unknown(credentials: Credentials): Principal {
    const scheme = this.#strangeScheme(credentials);
    if (scheme !== undefined) {
      const bad = new BadCredentials("the authorization header has nothing that is taken here");
      throw this.#audited(refused(bad, this.#challenges, scheme), credentials);
    }
    if (this.#settings.mode === "required")
      throw this.#audited(needed(this.#challenges), credentials);
    return anonymous(this.#settings.anonymous === "shared" ? "" : this.#deps.clock.newId());
  }

  #refusal(thrown: unknown, credentials: Credentials, authenticator: Authenticator): unknown {
    const failure = this.#failure(thrown, credentials, authenticator);
    return this.#audited(failure, credentials, authenticator.method);
  }

  /** The failure, once it is written down who was refused. */
  #audited(failure: unknown, { asked, address }: Credentials, method?: Method): unknown {
    if (asked === undefined) return failure;
    const { reason } = A2AError.from(failure);
    const decision = decisionOf(reason);
    const entry = { kind: "authentication", ...asked, address, method, decision, reason } as const;
    this.#deps.audit?.write(entry);
    return failure;
  }

  /** Each failure is told to the log once, without what was sent. */
  #failure(thrown: unknown, { address }: Credentials, { method, challenge }: Authenticator) {
    if (thrown instanceof BadCredentials) {
      const { message: why, cause } = thrown;
      const fields = { method, address, why, ...(cause instanceof Error && { err: cause }) };
      this.#deps.log.info(fields, "credentials refused");
      return refused(thrown, this.#challenges, challenge.scheme);
    }
    if (A2AError.is(thrown) && thrown.reason === "RATE_LIMITED")
      this.#deps.log.info({ method, address }, "login kept waiting");
    return thrown;
  }

  /**
   * The scheme of an Authorization header that nobody took: who sends one does not want to be anonymous. Where none of
   * the authenticators reads that header it is not for us; an agent may get it.
   */
  #strangeScheme({ headers }: Credentials): string | undefined {
    const header = headers["authorization"];
    const isOurs = this.#challenges.some(({ scheme }) => scheme === "Basic" || scheme === "Bearer");
    if (header === undefined || !isOurs) return undefined;
    return /^\s*bearer\b/i.test(header) ? "Bearer" : "";
  }
}
