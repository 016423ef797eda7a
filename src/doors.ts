/** The listeners and the doors behind them: one for all agents, and one for each agent that has a port of its own. */
import { randomUUID } from "node:crypto";
import type { ListenerAddress } from "./agents/addresses.ts";
import type { Closers } from "./closers.ts";
import type { Config } from "./config/config.ts";
import { listenAt } from "./config/listen-at.ts";
import type { Logger } from "./log.ts";
import type { A2AService } from "./protocol/service.ts";
import { createGrpc, type GrpcServer } from "./transports/grpc/server.ts";
import { createHttp } from "./transports/http/app.ts";
import type { CardSource } from "./transports/http/card.ts";
import { Heartbeat } from "./transports/http/heartbeat.ts";
import { jsonrpcDoor } from "./transports/jsonrpc/door.ts";
import { createListener, type Listener } from "./transports/listener.ts";
import type { Directory } from "./transports/request.ts";
import { originsOf } from "./transports/http/origin.ts";
import { restDoor } from "./transports/rest/door.ts";
import { bind, type BoundDialect } from "./wire/endpoint.ts";
import { dialectsOf } from "./wire/index.ts";

/** How long connections may take to close once their calls have been answered. */
export const CLOSE_MS = 1_000;

export interface DoorsInput {
  readonly config: Config;
  readonly log: Logger;
  readonly service: A2AService;
  readonly directory: Directory;
  /** The cards at the root of a listener: those of the agent that it is for, or of the primary agent for undefined. */
  readonly cardsAt: (agent: string | undefined) => CardSource;
}

export interface Doors {
  /** Where it listens once it does, and where each agent with a port of its own does. */
  listen(): Promise<{
    readonly shared: ListenerAddress;
    readonly own: ReadonlyMap<string, ListenerAddress>;
  }>;
  /** Takes no new connections, lets calls under way end for that long. Safe to call twice. */
  close(graceMs: number): Promise<void>;
}

interface Front {
  readonly listener: Listener;
  readonly grpc: GrpcServer;
}

export function openDoors(input: DoorsInput, closers: Closers): Doors {
  const { config } = input;
  const heartbeat = new Heartbeat(config.sse.heartbeat);
  closers.add(() => heartbeat.stop());
  const [newest, ...older] = dialectsOf(config);
  const bound = [
    bind(newest, input.service),
    ...older.map((dialect) => bind(dialect, input.service)),
  ] as const;
  const frontOf = (agent?: string): Front => openFront({ ...input, bound, heartbeat, agent });

  const shared = frontOf();
  const own = Object.entries(config.agents).flatMap(([agent, { port }]) =>
    port === undefined ? [] : [{ agent, port, front: frontOf(agent) }],
  );
  const fronts = [shared, ...own.map(({ front }) => front)];

  let closing: Promise<unknown> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    for (const { grpc } of fronts) grpc.drain();
    closing ??= Promise.all(fronts.map(({ listener }) => listener.stop(graceMs)));
    await closing;
  };
  closers.add(() => close(0));

  return {
    async listen() {
      const { listen, grpcListen } = config;
      const { address: host, port } = await listenAt("listen", listen, shared.listener.listen);
      if (grpcListen) await listenAt("grpcListen", grpcListen, shared.grpc.listen);
      const addresses = new Map<string, ListenerAddress>();
      for (const { agent, port, front } of own) {
        const setting = `agents.${agent}.port` as const;
        const at = await listenAt(setting, { host: listen.host, port }, front.listener.listen);
        addresses.set(agent, { host: at.address, port: at.port });
      }
      return { shared: { host, port }, own: addresses };
    },
    close,
  };
}

interface FrontInput extends DoorsInput {
  readonly bound: readonly [BoundDialect, ...BoundDialect[]];
  readonly heartbeat: Heartbeat;
  readonly agent: string | undefined;
}

function openFront({
  config,
  log,
  directory,
  cardsAt,
  bound,
  heartbeat,
  agent,
}: FrontInput): Front {
  const { messageBytes } = config.limits;
  // Request ids need no order, and say nothing of the time.
  const shared = {
    dialects: bound,
    directory,
    ...(agent !== undefined && { agent }),
    newId: randomUUID,
    log,
  };
  const door = { ...shared, maxBodyBytes: messageBytes, heartbeat };
  const grpc = createGrpc({ ...shared, maxMessageBytes: messageBytes });
  const http = createHttp({
    cards: cardsAt(agent),
    origins: originsOf(config),
    doors: [jsonrpcDoor(door), restDoor(door)],
    allowedOrigins: config.cors.origins,
    log,
  });
  return { listener: createListener({ http, grpc }), grpc };
}
