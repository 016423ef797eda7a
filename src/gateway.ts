/** All the wiring but that of the listeners (doors.ts): a configuration in, a running gateway out. */
import { setTimeout } from "node:timers/promises";
import type { ListenerAddress, Listening } from "./agents/addresses.ts";
import { directoryOf } from "./agents/directory.ts";
import { locationsOf } from "./agents/interfaces.ts";
import { agentsOf } from "./agents/registry.ts";
import { servedCardsOf } from "./agents/served-cards.ts";
import { openSigningKey, type SigningKey } from "./agents/signing/signing-key.ts";
import { Closers } from "./closers.ts";
import type { Config } from "./config/config.ts";
import { ENVIRONMENT } from "./config/environment.ts";
import { ConfigError } from "./config/errors.ts";
import { handlerProblem } from "./config/handler-problem.ts";
import { listenAt } from "./config/listen-at.ts";
import { signingKeyProblem } from "./config/signing-problem.ts";
import type { Agents } from "./core/ports/agent.ts";
import type { Clock } from "./core/ports/clock.ts";
import type { Handler } from "./core/ports/handler.ts";
import type { TaskStore } from "./core/ports/task-store.ts";
import { logged } from "./core/request-log.ts";
import { startRetention } from "./core/retention.ts";
import { TaskService } from "./core/task-service.ts";
import { CLOSE_MS, openDoors } from "./doors.ts";
import { createHandler } from "./handlers/index.ts";
import { createIds } from "./ids.ts";
import type { Logger } from "./log.ts";
import { createOps, type OpsAddress } from "./ops/server.ts";
import { openTaskStore } from "./store/knex/task-store.ts";

/** A stream's reader may lag behind by so many characters, whatever the number of events. */
const STREAM_BUFFER_CHARACTERS = 16 * 1024 * 1024;
/** How long a handler may take to end what outlives its turns. */
const HANDLER_CLOSE_MS = 5_000;

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Logger;
}

export interface Gateway {
  readonly address: ListenerAddress;
  /** Where the agents with a port of their own are, by id. */
  readonly ownAddresses: ReadonlyMap<string, ListenerAddress>;
  readonly opsAddress?: OpsAddress;
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

async function start({ config, log }: GatewayOptions, closers: Closers): Promise<Gateway> {
  const clock: Clock = { now: Date.now, newId: createIds() };
  const store = await openTaskStore({ file: config.database, log, now: clock.now });
  closers.add(() => store.close());
  const handlers = await openHandlers({ config, log }, closers);

  const keys = await openKeys(config);

  let listening: Listening = { isFinal: false, shared: config.listen, own: new Map() };
  const locationOf = locationsOf(config, () => listening);
  const agents = agentsOf({
    agents: Object.entries(config.agents).flatMap(([id, settings]) => {
      const handler = handlers.get(id);
      return handler ? [{ id, settings, handler }] : [];
    }),
    primary: config.primary,
    locationOf,
    keys,
  });

  const service = serviceOf({ config, log, clock, store, agents });
  closers.add(() => service.stop(0));
  await service.recover();
  const retention = startRetention({ store, periods: config.retention, clock, log });
  closers.add(() => retention.stop());

  const { requests, level } = config.log;
  const { primary } = config;
  const reads = level === "debug";
  const isLogged = requests && (level === "debug" || level === "info");
  const front = isLogged ? logged(service, { log, clock, primary, reads }) : service;
  const { maxAge, unversioned } = config.cards;
  const loadedAt = clock.now();
  const cardsAt = servedCardsOf({
    agents,
    locationOf,
    keys,
    unversioned,
    loadedAt,
    now: clock.now,
    maxAgeMs: maxAge,
  });
  const directory = directoryOf(config);
  const doors = openDoors({ config, log, service: front, directory, cardsAt }, closers);
  listening = { isFinal: true, ...(await doors.listen()) };
  for (const [agent, { host, port }] of listening.own) log.info({ agent, host, port }, "own port");

  let draining = false;
  const ops = createOps({
    ready: async () => {
      await store.ping();
      return { draining };
    },
    log,
  });
  closers.add(() => ops.close());
  const opsAddress =
    config.ops.listen && (await listenAt("ops.listen", config.ops.listen, ops.listen));

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    draining = true;
    log.info(service.load, "stopping");
    const { grace } = config.stop;
    const closed = doors.close(grace + CLOSE_MS);
    await service.stop(grace);
    await closed;
    await closers.close();
    log.info({}, "stopped");
  };
  return {
    address: listening.shared,
    ownAddresses: listening.own,
    ...(opsAddress && { opsAddress }),
    stop: () => (stopping ??= stop()),
  };
}

interface ServiceParts extends GatewayOptions {
  readonly clock: Clock;
  readonly store: TaskStore;
  readonly agents: Agents;
}

function serviceOf({ config, log, clock, store, agents }: ServiceParts): TaskService {
  const { runningTasks, pageSize, streamBuffer } = config.limits;
  return new TaskService({
    store,
    agents,
    clock,
    log,
    runningTasks,
    pageSize,
    streamBuffer: { events: streamBuffer, characters: STREAM_BUFFER_CHARACTERS },
  });
}

/** The keys that cards are signed with. */
function openKeys(config: Config): Promise<readonly SigningKey[]> {
  const { baseDir } = config;
  return Promise.all(
    config.cards.signing.map((key, index) =>
      openSigningKey(key, baseDir).catch((cause: unknown) => {
        throw new ConfigError([signingKeyProblem(config, index, cause)], { cause });
      }),
    ),
  );
}

/** A handler that does not close holds up neither the stop nor the others. */
async function closedInTime(handler: Handler, agent: string, log: Logger): Promise<void> {
  const late = new AbortController();
  const waiting = setTimeout(HANDLER_CLOSE_MS, "late", { signal: late.signal, ref: false });
  const closing = Promise.resolve(handler.close?.()).then(() => "closed");
  const how = await Promise.race([closing, waiting]).finally(() => late.abort());
  if (how === "late") log.warn({ agent }, "handler does not close");
}

async function openHandlers(
  { config, log }: GatewayOptions,
  closers: Closers,
): Promise<ReadonlyMap<string, Handler>> {
  const { baseDir } = config;
  const handlers = new Map<string, Handler>();
  for (const [id, { handler: settings }] of Object.entries(config.agents)) {
    const handler = await createHandler(settings, { baseDir, env: ENVIRONMENT, log }).catch(
      (cause: unknown) => {
        throw new ConfigError([handlerProblem(config, { agent: id, handler: settings }, cause)], {
          cause,
        });
      },
    );
    handlers.set(id, handler);
    closers.add(() => closedInTime(handler, id, log));
  }
  return handlers;
}
