/** The wiring: a configuration in, a running gateway out. What takes more than a few lines to put together has a file beside this one. */
import { adminOf } from "./admin.ts";
import { openAudit, type OpenAudit } from "./audit.ts";
import type { ListenerAddress } from "./agents/addresses.ts";
import { cataloguesOf } from "./agents/catalogue.ts";
import { directoryOf } from "./agents/directory.ts";
import { locationsOf } from "./agents/interfaces.ts";
import { openApisOf } from "./agents/open-api.ts";
import { Registry } from "./agents/registry.ts";
import { servedCardsOf } from "./agents/served-cards.ts";
import { verifyCard } from "./agents/signing/trusted-card.ts";
import { openCardKeys } from "./card-keys.ts";
import { Closers } from "./closers.ts";
import type { Config } from "./config/config.ts";
import { ENVIRONMENT } from "./config/environment.ts";
import { listenAt } from "./config/listen-at.ts";
import { connectionsOf } from "./connections.ts";
import { encryptionKeysOf } from "./config/encryption-keys.ts";
import { opsTokenOf } from "./config/ops-token.ts";
import type { Clock } from "./core/ports/clock.ts";
import { AgentControlError, type AgentControl, type Reloaded } from "./core/ports/agent-control.ts";
import { isLimited } from "./core/limits/task-quota.ts";
import { startRetention } from "./core/retention.ts";
import { CLOSE_MS, openDoors } from "./doors.ts";
import { AgentRecord } from "./fleet/record.ts";
import { agentControl } from "./fleet/control.ts";
import { Fleet } from "./fleet/fleet.ts";
import { startFleet } from "./fleet/start.ts";
import { createIds } from "./ids.ts";
import type { Logger } from "./log.ts";
import type { Readiness } from "./ops/health.ts";
import { createOps, type OpsAddress } from "./ops/server.ts";
import { A2AError } from "./protocol/errors.ts";
import { openGate, shownBy } from "./gate.ts";
import { serviceOf, withLines } from "./service.ts";
import { openTls } from "./tls.ts";
import { openWebhooks } from "./webhooks.ts";
import { openStores } from "./store/knex/stores.ts";
import { dialectsOf } from "./wire/index.ts";

/** How long deliveries under way may take to end when the gateway stops; those that are cut come again. */
const WEBHOOKS_GRACE_MS = 1_000;

export interface GatewayOptions {
  readonly config: Config;
  /** Reads the configuration again; undefined where it did not come from a file. Throws a ConfigError. */
  readonly configure?: () => Promise<Config>;
  readonly log: Logger;
}

export interface Gateway {
  readonly address: ListenerAddress;
  /** Where the agents with a port of their own are now, by id. */
  ownAddresses(): ReadonlyMap<string, ListenerAddress>;
  /**
   * Reads the configuration again; `cause` says why, to those who look that up. Throws an AgentControlError when it cannot be
   * used: nothing has changed then.
   */
  reload(cause?: string): Promise<Reloaded>;
  readonly opsAddress?: OpsAddress;
  /** Writes to new files of the same names what is written to files: the old ones were moved away. */
  reopenFiles(): void;
  /** Takes no new work, lets what runs finish within the configured grace, closes everything. Safe to call twice. */
  stop(): Promise<void>;
}

/** Resolves when every door is open. Throws, with everything closed again, when one cannot be opened. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const closers = new Closers();
  try {
    return await start(options, closers);
  } catch (thrown) {
    await closers.close().catch((failure: unknown) => {
      options.log.error({ err: failure }, "start failed, and so did closing again");
    });
    throw thrown;
  }
}

async function start(
  { config, configure, log }: GatewayOptions,
  closers: Closers,
): Promise<Gateway> {
  const clock: Clock = { now: Date.now, newId: createIds() };
  const encryptionKeys = await encryptionKeysOf(config);
  const stores = await openStores({
    file: config.database,
    log,
    now: clock.now,
    keys: encryptionKeys,
    countsUsage: isLimited(config.limits.quota),
  });
  closers.add(() => stores.close());
  const audit = openAudit({ config, archive: stores.archive, log, now: clock.now });
  closers.add(() => audit?.close());
  const keys = await openCardKeys(config);
  const token = await opsTokenOf(config);

  const { archive, push } = stores;
  const webhooks = await openWebhooks({ config, ...push, archive, clock, log });
  closers.add(() => webhooks.stop(WEBHOOKS_GRACE_MS));
  const gate = await openGate({ config, apiKeys: stores.apiKeys, clock, log, audit });
  const registry = new Registry();
  const service = serviceOf({ config, log, clock, stores, webhooks, agents: registry, gate });
  const locationOf = locationsOf(config, () => fleet.situation);
  const record = new AgentRecord({ registry, locationOf, store: stores.agents, log });
  closers.add(() => record.close());
  const fleet = new Fleet({
    deps: { baseDir: config.baseDir, env: ENVIRONMENT, log, verifyCard },
    cards: { locationOf, keys, security: gate.security },
    store: stores.agents,
    openOwn: (agent, own) => doors.openOwn(agent, own),
    registry,
    turns: service,
    log,
    shared: { ...config.listen, isSecure: config.tls !== undefined },
    changed: () => record.renew(),
  });
  closers.add(() => fleet.close());
  closers.add(() => service.stop(0));
  await startFleet({ fleet, config, store: stores.agents, log });
  await service.recover();
  const { tasks: store } = stores;
  const retention = startRetention({ store, periods: config.retention, clock, log });
  closers.add(() => retention.stop());

  const { maxAge: maxAgeMs, unversioned } = config.cards;
  const { now } = clock;
  const published = webhooks.signingKey ? [...keys, webhooks.signingKey] : keys;
  const cardsAt = servedCardsOf({
    agents: registry,
    locationOf,
    openApiOf: openApisOf(dialectsOf(config)),
    keys,
    published,
    unversioned,
    loadedAt: now(),
    now,
    maxAgeMs,
  });
  const catalogueAt = cataloguesOf({ agents: registry, locationOf, cardsAt, maxAgeMs });
  const doors = await openDoors(
    {
      config,
      log,
      service: withLines(service, { config, log, clock, registry, audit }),
      authenticate: gate.authenticate,
      countRequest: gate.limits.countRequest,
      directory: directoryOf(config, () => registry.roster),
      cardsAt,
      catalogueAt: (agent) => shownBy(gate, catalogueAt(agent)),
    },
    closers,
  );
  const address = await doors.listen();
  await fleet.listen(address);

  let draining = false;
  const control = agentControl({
    fleet,
    turns: service,
    locationOf,
    store: stores.agents,
    config,
    configure,
    log,
    isStopping: () => draining,
  });
  const ready = async (): Promise<Readiness> => {
    await store.ping();
    return { draining };
  };
  const { host } = config.ops.listen ?? {};
  const { callers, keys: apiKeys } = gate;
  const access = { token, host, callers };
  const admin = adminOf({
    access,
    audit,
    control,
    apiKeys,
    archive,
    webhooks,
    service,
    registry,
    clock,
  });
  const { baseDir, whereOf } = config;
  const at = ["ops", "tls"];
  const opsTls = config.ops.tls && (await openTls(config.ops.tls, { baseDir, whereOf, at }, log));
  closers.add(() => opsTls?.close());
  // Counted apart: whoever floods the doors does not keep operators out.
  const ops = createOps({
    ready,
    log,
    admin,
    tls: opsTls,
    connections: connectionsOf(config, log),
  });
  closers.add(() => ops.close());
  const opsAddress =
    config.ops.listen && (await listenAt("ops.listen", config.ops.listen, ops.listen));

  audit?.write({ ...LIFE, operation: "start" });
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    draining = true;
    log.info(service.load, "stopping");
    audit?.write({ ...LIFE, operation: "stop" });
    const { grace } = config.stop;
    const closed = doors.close(grace + CLOSE_MS);
    await service.stop(grace);
    await closed;
    await closers.close();
    log.info({}, "stopped");
  };
  return {
    address,
    ownAddresses: () => fleet.situation.listening.own,
    reload: (cause) => toldReload(control, audit, cause),
    ...(opsAddress && { opsAddress }),
    reopenFiles: () => audit?.reopen(),
    stop: () => (stopping ??= stop()),
  };
}

const LIFE = { kind: "process", decision: "allowed", reason: undefined, cause: undefined } as const;

async function toldReload(
  control: Pick<AgentControl, "reload">,
  audit: OpenAudit | undefined,
  cause: string | undefined,
): Promise<Reloaded> {
  const what = { kind: "process", operation: "reload", cause } as const;
  try {
    const reloaded = await control.reload();
    audit?.write({ ...what, decision: "allowed", reason: undefined });
    return reloaded;
  } catch (thrown) {
    const reason = AgentControlError.is(thrown) ? thrown.kind : A2AError.from(thrown).reason;
    audit?.write({ ...what, decision: "failed", reason });
    throw thrown;
  }
}
