/** All the wiring: a configuration in, a running gateway out. The only file that knows every folder. */
import { randomUUID } from "node:crypto";
import { publicAddressOf, type ListenerAddress } from "./agents/addresses.ts";
import { agentsOf } from "./agents/registry.ts";
import { servedCardsOf } from "./agents/served-cards.ts";
import type { Config } from "./config/config.ts";
import { ENVIRONMENT } from "./config/environment.ts";
import type { Clock, Handler } from "./core/ports.ts";
import { logged } from "./core/request-log.ts";
import { startRetention } from "./core/retention.ts";
import { TaskService } from "./core/task-service.ts";
import { createHandler } from "./handlers/index.ts";
import { createIds } from "./ids.ts";
import type { Logger } from "./log.ts";
import { createOps, type Ops, type OpsAddress } from "./ops/server.ts";
import { openTaskStore } from "./store/knex/task-store.ts";
import { createGrpc } from "./transports/grpc/server.ts";
import { createHttp } from "./transports/http/app.ts";
import { Heartbeat } from "./transports/http/heartbeat.ts";
import { jsonrpcDoor } from "./transports/jsonrpc/door.ts";
import { createListener } from "./transports/listener.ts";
import { restDoor } from "./transports/rest/door.ts";
import { bind } from "./wire/endpoint.ts";
import { dialects } from "./wire/index.ts";

/** A stream's reader may lag behind by so many characters, whatever the number of events. */
const STREAM_BUFFER_CHARACTERS = 16 * 1024 * 1024;

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Logger;
}

export interface Gateway {
  readonly address: ListenerAddress;
  readonly opsAddress?: OpsAddress;
  /** Takes no new work, lets what runs finish within the configured grace, closes everything. Safe to call twice. */
  stop(): Promise<void>;
}

/** Resolves when every door is open. Throws, with everything closed again, when one cannot be opened. */
export async function startGateway({ config, log }: GatewayOptions): Promise<Gateway> {
  const closers: (() => Promise<void>)[] = [];
  try {
    return await start({ config, log }, closers);
  } catch (thrown) {
    for (const close of closers.toReversed()) await close();
    throw thrown;
  }
}

async function start(
  { config, log }: GatewayOptions,
  closers: (() => Promise<void>)[],
): Promise<Gateway> {
  const clock: Clock = { now: Date.now, newId: createIds() };
  const startedAt = clock.now();
  const store = await openTaskStore({ file: config.database });
  closers.push(() => store.close());

  const handlers = await openHandlers({ config, log });
  closers.push(() => closeHandlers(handlers, log));

  let listening: ListenerAddress = config.listen;
  const agents = agentsOf({
    agents: Object.entries(config.agents).flatMap(([id, settings]) => {
      const handler = handlers.get(id);
      return handler ? [{ id, settings, handler }] : [];
    }),
    primary: config.primary,
    address: () => publicAddressOf(config.publicUrl, listening),
  });
  const cards = servedCardsOf({
    agents,
    address: () => publicAddressOf(config.publicUrl, listening),
    loadedAt: startedAt,
    maxAgeMs: config.cards.maxAge,
  });

  const service = new TaskService({
    store,
    agents,
    clock,
    log,
    runningTasks: config.limits.runningTasks,
    pageSize: config.limits.pageSize,
    streamBuffer: { events: config.limits.streamBuffer, characters: STREAM_BUFFER_CHARACTERS },
  });
  await service.recover();
  const retention = startRetention({ store, periods: config.retention, clock, log });
  closers.push(() => retention.stop());

  const { requests, level } = config.log;
  const front = requests ? logged(service, { log, clock, reads: level === "debug" }) : service;
  const bound = dialects.map((dialect) => bind(dialect, front));
  const [newest, ...older] = bound;
  if (!newest) throw new Error("there is no dialect");
  const maxBytes = config.limits.messageBytes;
  const heartbeat = new Heartbeat(config.sse.heartbeat);
  closers.push(async () => heartbeat.stop());
  // Request ids say nothing about time and need no order.
  const door = {
    dialects: [newest, ...older] as const,
    maxBodyBytes: maxBytes,
    heartbeat,
    newId: randomUUID,
    log,
  };
  const grpc = createGrpc({ dialects: bound, maxMessageBytes: maxBytes, newId: randomUUID, log });
  const http = createHttp({
    cards,
    doors: [jsonrpcDoor(door), restDoor(door)],
    allowedOrigins: config.cors.origins,
    log,
  });
  const listener = createListener({ http, grpc });
  const { address, port } = await listener.listen(config.listen);
  listening = { host: address, port };
  if (config.grpcListen) await grpc.listen(config.grpcListen);
  let closing: Promise<void> | undefined;
  const closeDoors = (graceMs: number): Promise<void> => (closing ??= listener.stop(graceMs));
  closers.push(() => closeDoors(0));

  let draining = false;
  const ops = createOps({
    ready: async () => {
      await store.ping();
      return { database: true, draining };
    },
    log,
  });
  const opsAddress = await openOps(ops, config);
  closers.push(() => ops.close());

  let stopping: Promise<void> | undefined;
  return {
    address: listening,
    ...(opsAddress && { opsAddress }),
    stop() {
      stopping ??= (async () => {
        draining = true;
        log.info(service.load, "stopping");
        grpc.drain();
        const closed = closeDoors(config.stop.grace + CLOSE_MS);
        await service.stop(config.stop.grace);
        await closed;
        for (const close of closers.toReversed()) await close();
        log.info({}, "stopped");
      })();
      return stopping;
    },
  };
}

/** How long connections may take to close once their calls have been answered. */
const CLOSE_MS = 1_000;

async function openHandlers({ config, log }: GatewayOptions): Promise<Map<string, Handler>> {
  const { baseDir } = config;
  const handlers = new Map<string, Handler>();
  for (const [id, { handler }] of Object.entries(config.agents)) {
    handlers.set(id, await createHandler(handler, { baseDir, env: ENVIRONMENT, log }));
  }
  return handlers;
}

async function closeHandlers(handlers: ReadonlyMap<string, Handler>, log: Logger): Promise<void> {
  for (const [agent, handler] of handlers) {
    await handler.close?.().catch((thrown: unknown) => {
      log.warn({ err: thrown, agent }, "handler failed to close");
    });
  }
}

async function openOps(ops: Ops, { ops: { listen } }: Config): Promise<OpsAddress | undefined> {
  return listen && ops.listen(listen);
}
