/** Webhooks, put together: what core asks of them, and what tells them what happened. */
import { resolve } from "node:path";
import { originOf } from "./agents/addresses.ts";
import { openSigningKey, type SigningKey } from "./agents/signing/signing-key.ts";
import type { Config } from "./config/config.ts";
import { ConfigError } from "./config/errors.ts";
import { signingKeyProblem } from "./config/signing-problem.ts";
import { Notices } from "./core/notices.ts";
import type { Clock } from "./core/ports/clock.ts";
import type { Log } from "./core/ports/log.ts";
import type {
  DeliveryControl,
  Outbox,
  PushConfigStore,
  SentCounts,
} from "./core/ports/push-store.ts";
import type { TaskArchive } from "./core/ports/task-search.ts";
import type { Webhooks } from "./core/ports/webhooks.ts";
import { openAddressGuard } from "./push/address-guard.ts";
import { checkConfig } from "./push/check-config.ts";
import { startSending } from "./push/sending.ts";
import { textOfFile } from "./text-file.ts";

export interface WebhookParts {
  readonly config: Config;
  readonly configs: PushConfigStore;
  readonly outbox: Outbox;
  readonly control: DeliveryControl;
  readonly archive: TaskArchive;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenWebhooks extends Webhooks {
  /** What deliveries are signed with. */
  readonly signingKey: SigningKey | undefined;
  /** As the store's; whoever is paused is sent nothing more once that resolves. */
  readonly control: DeliveryControl & { sent(): SentCounts };
  /** Nothing is sent any more once this resolves; what is being sent may take that many milliseconds. */
  stop(graceMs: number): Promise<void>;
}

/** Begins at once with what is due. Throws a ConfigError for a key or certificates that cannot be read. */
export async function openWebhooks(parts: WebhookParts): Promise<OpenWebhooks> {
  const { config, configs, outbox, control, archive, clock, log } = parts;
  const { push, publicUrl, listen, tls } = config;
  const signingKey = await signingKeyOf(config);
  const ca = await certificatesOf(config);
  const issuer = publicUrl ?? originOf({ ...listen, isSecure: tls !== undefined });
  const guard = openAddressGuard(push);
  const notices = new Notices(archive);
  const sending = startSending({
    outbox,
    read: (claim, generation) =>
      claim.config.version === "0.3"
        ? notices.task(claim, generation)
        : notices.event(claim, generation),
    settings: push,
    guard,
    signer: signingKey && { ...signingKey, issuer },
    ca,
    clock,
    random: Math.random,
    log,
  });
  return {
    configs,
    limit: push.configsPerTask,
    check: (given) => checkConfig(given, guard),
    forget: (key) => sending.forget(key),
    control: {
      ...control,
      sent: () => sending.counts(),
      async setPaused(key, isPaused) {
        const isThere = await control.setPaused(key, isPaused);
        if (isThere && isPaused) await sending.forget(key);
        return isThere;
      },
    },
    signingKey,
    stop: (graceMs) => sending.stop(graceMs),
  };
}

/** What deliveries are signed with. Throws a ConfigError for a file that holds no key. */
export async function signingKeyOf(config: Config): Promise<SigningKey | undefined> {
  const { signing } = config.push;
  if (signing === undefined) return undefined;
  try {
    return await openSigningKey(signing, config.baseDir);
  } catch (cause) {
    throw new ConfigError([signingKeyProblem(config, ["push", "signing"], cause)], { cause });
  }
}

/** What is trusted beside the usual certificates, in PEM. Throws a ConfigError for a file that cannot be read. */
export async function certificatesOf({
  push,
  baseDir,
  whereOf,
}: Config): Promise<string | undefined> {
  if (push.ca === undefined) return undefined;
  try {
    return await textOfFile(resolve(baseDir, push.ca));
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError([{ where: whereOf(["push", "ca"]), path: "push.ca", what }], { cause });
  }
}
