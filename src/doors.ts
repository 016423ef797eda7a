/** The listeners: one for all agents, and one for each agent that has a port of its own. */
import type { ListenerAddress } from "./agents/addresses.ts";
import type { Closers } from "./closers.ts";
import { connectionsOf } from "./connections.ts";
import { listenAt } from "./config/listen-at.ts";
import type { TlsConfig } from "./config/tls.ts";
import { openFront, type Front, type FrontInput } from "./doors/front.ts";
import { A2AError } from "./protocol/errors.ts";
import type { A2AService } from "./protocol/service.ts";
import { openTls } from "./tls.ts";
import { Heartbeat } from "./transports/http/heartbeat.ts";
import { bind } from "./wire/endpoint.ts";
import { dialectsOf } from "./wire/index.ts";

/** How long connections may take to close once their calls have been answered. */
export const CLOSE_MS = 1_000;

export interface DoorsInput extends Omit<
  FrontInput,
  "bound" | "heartbeat" | "tls" | "connections"
> {
  readonly service: A2AService;
}

export interface Doors {
  /** Opens the doors that all agents share; where they are. Throws a ListenError. */
  listen(): Promise<ListenerAddress>;
  /**
   * Opens doors for one agent alone, on the host of the others. Throws, with them closed again, a ListenError for a port
   * that is not to be had, a ConfigError for certificates that cannot be used, and UNAVAILABLE once the doors are closing.
   */
  openOwn(agent: string, own: OwnPort): Promise<OwnDoors>;
  /** Takes no new connections, lets calls under way end for that long. Safe to call twice. */
  close(graceMs: number): Promise<void>;
}

/** What an agent says of a listener of its own. */
export interface OwnPort {
  readonly port: number;
  /** Undefined: as the listener that all agents share. */
  readonly tls: TlsConfig | undefined;
}

/** Doors of one agent alone. */
export interface OwnDoors extends Pick<Front, "handTo"> {
  readonly address: ListenerAddress;
  /** As `Doors.close` does. */
  close(graceMs: number): Promise<void>;
}

/** Throws a ConfigError for certificates that cannot be used. */
export async function openDoors(input: DoorsInput, closers: Closers): Promise<Doors> {
  const { config, log } = input;
  const heartbeat = new Heartbeat(config.sse.heartbeat);
  closers.add(() => heartbeat.stop());
  const [newest, ...older] = dialectsOf(config);
  const bound = [
    bind(newest, input.service),
    ...older.map((dialect) => bind(dialect, input.service)),
  ] as const;
  const { baseDir, whereOf } = config;
  const tls = config.tls && (await openTls(config.tls, { baseDir, whereOf, at: ["tls"] }, log));
  closers.add(() => tls?.close());
  const connections = connectionsOf(config, log);
  const frontInput: FrontInput = { ...input, bound, heartbeat, connections, tls };

  const shared = openFront(frontInput, undefined);
  const fronts = new Set([shared]);
  let isClosing = false;
  const checkOpen = (): void => {
    if (isClosing) throw new A2AError("UNAVAILABLE", "the gateway is stopping");
  };
  const closeFront = async (front: Front, graceMs: number): Promise<void> => {
    await front.stop(graceMs);
    fronts.delete(front);
  };
  const opening = new Set<Promise<OwnDoors>>();
  const openOwn = async (agent: string, { port, tls: settings }: OwnPort): Promise<OwnDoors> => {
    checkOpen();
    // The definition need not stand in the file.
    const place = { baseDir, whereOf: () => "", at: ["agents", agent, "tls"] };
    const own = settings && (await openTls(settings, place, log));
    const opened = openFront({ ...frontInput, tls: own ?? tls }, agent);
    const front: Front = {
      ...opened,
      stop(graceMs) {
        own?.close();
        return opened.stop(graceMs);
      },
    };
    try {
      const { host } = config.listen;
      const setting = `agents.${agent}.port` as const;
      const at = await listenAt(setting, { host, port }, front.listen);
      checkOpen();
      fronts.add(front);
      const address = { host: at.address, port: at.port, isSecure: (own ?? tls) !== undefined };
      const { handTo } = front;
      return { address, handTo, close: (graceMs) => closeFront(front, graceMs) };
    } catch (thrown) {
      await closeFront(front, 0);
      throw thrown;
    }
  };
  const close = async (graceMs: number): Promise<void> => {
    isClosing = true;
    await Promise.all([...fronts].map((front) => closeFront(front, graceMs)));
    // Those see for themselves that it is too late: a listener that is stopped on its way never says that it listens.
    await Promise.allSettled(opening);
  };
  closers.add(() => close(0));

  return {
    async listen() {
      const { listen, grpcListen } = config;
      const { address: host, port } = await listenAt("listen", listen, shared.listen);
      if (grpcListen) await listenAt<unknown>("grpcListen", grpcListen, shared.listenGrpc);
      return { host, port, isSecure: tls !== undefined };
    },
    async openOwn(agent, own) {
      const opened = openOwn(agent, own);
      opening.add(opened);
      return opened.finally(() => opening.delete(opened));
    },
    close,
  };
}
