/** A remote A2A agent as a handler: each turn is a message to it, whose task is followed there to its end. */
import type { UpstreamView } from "../../core/ports/agent-control.ts";
import type { Handler, HandlerEvent, Turn } from "../../core/ports/handler.ts";
import type { Log } from "../../core/ports/log.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { UpstreamConfig } from "./config.ts";
import type { Discovered } from "./discovery/discover.ts";
import type { FoundCard } from "./discovery/found-card.ts";
import type { VerifyCard } from "./discovery/signature-check.ts";
import { Follower } from "./follower.ts";
import { Outbox } from "./outbox.ts";
import { Reattachments } from "./reattachments.ts";
import { openRemote, type Remote, type RemoteStatus } from "./remote.ts";
import { settingsOf, type UpstreamSettings } from "./settings.ts";
import { systemTimers, type Timers } from "./timers.ts";

export interface UpstreamDeps {
  readonly baseDir: string;
  readonly log: Log;
  /** The cards that were found before this start. */
  readonly lastCards?: readonly FoundCard[];
  /** Undefined: cards cannot be verified, and a configuration that wants that is refused. */
  readonly verifyCard?: VerifyCard | undefined;
  /** Told of each card that differs from the one before. */
  changed?(discovered: Discovered): void;
  readonly timers?: Timers;
}

/** A remote agent, as those who run the gateway see it too. */
export interface UpstreamHandler extends Handler {
  /** How the agent is reached, as far as it is known now: what calls and checks have found. */
  upstream(): UpstreamView;
  /** Asks for the agent's card and checks its interfaces now. Resolves when that has ended, well or not. */
  refresh(): Promise<void>;
}

/** Throws a SettingError for settings that cannot be used. An agent that cannot be reached is waited for. */
export async function createUpstreamHandler(
  config: UpstreamConfig,
  deps: UpstreamDeps,
): Promise<UpstreamHandler> {
  const settings = settingsOf(config);
  const { baseDir, log, verifyCard, lastCards = [], timers = systemTimers } = deps;
  const remote = await openRemote(settings, {
    baseDir,
    log,
    timers,
    lastCards,
    verifyCard,
    changed: (discovered) => deps.changed?.(discovered),
  });
  return upstreamHandler({ remote, settings, timers, log });
}

interface Parts {
  readonly remote: Remote;
  readonly settings: UpstreamSettings;
  readonly timers: Timers;
  readonly log: Log;
}

function upstreamHandler(parts: Parts): UpstreamHandler {
  const followers = new Map<string, Follower>();
  const open = new Set<Follower>();
  const reattachments = new Reattachments(parts.timers);

  async function follow(follower: Follower, turn: Turn, begin: "send" | "resume"): Promise<void> {
    const onAbort = (): void => queueMicrotask(() => stopUnlessCanceling(follower));
    followers.set(turn.taskId, follower);
    open.add(follower);
    turn.signal.addEventListener("abort", onAbort);
    try {
      await follower[begin]();
    } finally {
      turn.signal.removeEventListener("abort", onAbort);
      follower.stop();
      open.delete(follower);
      if (followers.get(turn.taskId) === follower) followers.delete(turn.taskId);
    }
  }

  function followed(turn: Turn, begin: "send" | "resume"): AsyncIterable<HandlerEvent> {
    const { remote, settings, timers, log } = parts;
    const outbox: Outbox<HandlerEvent> = new Outbox(
      () => follow(follower, turn, begin),
      () => follower.stop(),
    );
    const follower = new Follower({ remote, settings, timers, log, reattachments, turn, outbox });
    return outbox;
  }

  return {
    card: () => parts.remote.card(),
    upstream: () => viewOf(parts.remote.status()),
    refresh: () => parts.remote.refresh(),
    handle: (turn) => followed(turn, "send"),
    resume: (turn) => followed(turn, "resume"),
    async cancel(turn: Turn, metadata: JsonObject | undefined) {
      await followers.get(turn.taskId)?.cancel(metadata);
    },
    async close() {
      for (const follower of open) follower.stop();
      parts.remote.close();
    },
  };
}

function viewOf({ isKnown, fetchedAt, problem, interfaces }: RemoteStatus): UpstreamView {
  return {
    isKnown,
    fetchedAt,
    problem,
    interfaces: interfaces.map(({ interface: target, state, isCurrent, health }) => {
      const { url, binding, version } = target;
      return { url, binding, version, breaker: state, isCurrent, health };
    }),
  };
}

/** A canceled turn is told of that right after its signal was aborted, and goes on until the agent has ended its task. */
function stopUnlessCanceling(follower: Follower): void {
  if (!follower.isCanceling) follower.stop();
}
