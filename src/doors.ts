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
import type { CatalogueSource } from "./transports/http/catalogue.ts";
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
  /** The catalogue at a listener: of that agent alone, or of all for undefined. */
  readonly catalogueAt: (agent: string | undefined) => CatalogueSource;
}

export interface Doors {
  /** Opens the doors that all agents share; where they are. */
  listen(): Promise<ListenerAddress>;
  /** Opens doors for one agent alone, on the host of the others. Throws, with them closed again, when it cannot. */
  openOwn(agent: string, port: number): Promise<OwnDoors>;
  /** Takes no new connections, lets calls under way end for that long. Safe to call twice. */
  close(graceMs: number): Promise<void>;
}

export interface OwnDoors {
  readonly address: ListenerAddress;
  /** As `Doors.close` does. */
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
  const fronts = new Set([shared]);
  const closeFront = async (front: Front, graceMs: number): Promise<void> => {
    front.grpc.drain();
    await front.listener.stop(graceMs);
    fronts.delete(front);
  };
  const close = async (graceMs: number): Promise<void> => {
    await Promise.all([...fronts].map((front) => closeFront(front, graceMs)));
  };
  closers.add(() => close(0));

  return {
    async listen() {
      const { listen, grpcListen } = config;
      const { address: host, port } = await listenAt("listen", listen, shared.listener.listen);
      if (grpcListen) await listenAt("grpcListen", grpcListen, shared.grpc.listen);
      return { host, port };
    },
    async openOwn(agent, port) {
      const front = frontOf(agent);
      fronts.add(front);
      try {
        const { host } = config.listen;
        const setting = `agents.${agent}.port` as const;
        const at = await listenAt(setting, { host, port }, front.listener.listen);
        const address = { host: at.address, port: at.port };
        return { address, close: (graceMs) => closeFront(front, graceMs) };
      } catch (thrown) {
        await closeFront(front, 0);
        throw thrown;
      }
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
  catalogueAt,
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
    catalogue: catalogueAt(agent),
    origins: originsOf(config),
    doors: [jsonrpcDoor(door), restDoor(door)],
    allowedOrigins: config.cors.origins,
    log,
  });
  return { listener: createListener({ http, grpc }), grpc };
}
