/** The listeners: one for all agents, and one for each agent that has a port of its own. */
import type { ListenerAddress } from "./agents/addresses.ts";
import type { Closers } from "./closers.ts";
import { listenAt } from "./config/listen-at.ts";
import { openFront, type Front, type FrontInput } from "./doors/front.ts";
import { A2AError } from "./protocol/errors.ts";
import type { A2AService } from "./protocol/service.ts";
import { Heartbeat } from "./transports/http/heartbeat.ts";
import { bind } from "./wire/endpoint.ts";
import { dialectsOf } from "./wire/index.ts";

/** How long connections may take to close once their calls have been answered. */
export const CLOSE_MS = 1_000;

export interface DoorsInput extends Omit<FrontInput, "bound" | "heartbeat"> {
  readonly service: A2AService;
}

export interface Doors {
  /** Opens the doors that all agents share; where they are. Throws a ListenError. */
  listen(): Promise<ListenerAddress>;
  /**
   * Opens doors for one agent alone, on the host of the others. Throws, with them closed again, a ListenError for a port
   * that is not to be had, and UNAVAILABLE once the doors are closing.
   */
  openOwn(agent: string, port: number): Promise<OwnDoors>;
  /** Takes no new connections, lets calls under way end for that long. Safe to call twice. */
  close(graceMs: number): Promise<void>;
}

/** Doors of one agent alone. */
export interface OwnDoors extends Pick<Front, "handTo"> {
  readonly address: ListenerAddress;
  /** As `Doors.close` does. */
  close(graceMs: number): Promise<void>;
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
  const frontInput: FrontInput = { ...input, bound, heartbeat };

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
  const openOwn = async (agent: string, port: number): Promise<OwnDoors> => {
    checkOpen();
    const front = openFront(frontInput, agent);
    try {
      const { host } = config.listen;
      const setting = `agents.${agent}.port` as const;
      const at = await listenAt(setting, { host, port }, front.listen);
      checkOpen();
      fronts.add(front);
      const address = { host: at.address, port: at.port };
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
      if (grpcListen) await listenAt("grpcListen", grpcListen, shared.listenGrpc);
      return { host, port };
    },
    async openOwn(agent, port) {
      const opened = openOwn(agent, port);
      opening.add(opened);
      return opened.finally(() => opening.delete(opened));
    },
    close,
  };
}
