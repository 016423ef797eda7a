/** How agents are answered: instants as texts, and of each object only the members that are known here. */
import type {
  AgentDetail,
  AgentView,
  UpstreamInterfaceView,
  UpstreamView,
} from "../../core/ports/agent-control.ts";
import {
  anyObject,
  flag,
  instant,
  instantOf,
  integer,
  list,
  named,
  object,
  oneOf,
  text,
  type TypeOf,
} from "./schema.ts";

const HEALTH = object(
  { isUp: flag("whether the check was answered"), checkedAt: instant("when it was checked") },
  { problem: text("why it is not up") },
);

const INTERFACE = named(
  "UpstreamInterface",
  object(
    {
      url: text("where calls go"),
      binding: text("the protocol binding, such as JSONRPC"),
      version: text("the protocol version"),
      breaker: oneOf(
        ["closed", "open", "half-open"],
        "whether calls go there: open when they fail at once, half-open when one is let through to see",
      ),
      isCurrent: flag("whether calls go there when nothing is wrong"),
    },
    { health: HEALTH },
  ),
);

const UPSTREAM_REQUIRED = {
  isKnown: flag(
    "whether it can be called: its card is known, from itself or from an earlier start",
  ),
  interfaces: list(INTERFACE),
};
const UPSTREAM_OPTIONAL = {
  fetchedAt: instant("when it last said what its card is"),
  problem: text("why its card could not be had the last time"),
};

const UPSTREAM = named("Upstream", object(UPSTREAM_REQUIRED, UPSTREAM_OPTIONAL));

const AGENT_REQUIRED = {
  id: text("the id under which it is served"),
  origin: oneOf(
    ["configured", "added"],
    "whether it stands in the configuration, or was added while the gateway ran",
  ),
  kind: text(
    "what answers its messages, such as upstream or exec; unknown where its definition cannot be read",
  ),
  isEnabled: flag("whether it is switched on: it is served then, unless there is a problem"),
  isPrimary: flag("whether it is the one at the root"),
  name: text("of its card"),
  description: text("of its card"),
  running: integer("how many of its tasks have a turn now"),
};
const AGENT_OPTIONAL = {
  problem: text("why it is not served, its definition or its port being at fault"),
  port: integer("its own port"),
  upstream: UPSTREAM,
};

const AGENT = named("Agent", object(AGENT_REQUIRED, AGENT_OPTIONAL));

export const AGENTS = object({ agents: list(AGENT) });

export const AGENT_DETAIL = named(
  "AgentDetail",
  object(
    {
      ...AGENT_REQUIRED,
      definition: anyObject("as it was written, secrets left out"),
    },
    {
      ...AGENT_OPTIONAL,
      card: anyObject("its card in A2A 1.0; absent where its definition cannot be read"),
    },
  ),
);

const REMOTE_AGENT = named(
  "RemoteAgent",
  object(
    { agent: text("its id"), isEnabled: flag("whether it is served"), ...UPSTREAM_REQUIRED },
    UPSTREAM_OPTIONAL,
  ),
);

export const UPSTREAMS = object({ upstreams: list(REMOTE_AGENT) });

export const RELOADED = named(
  "Reloaded",
  object({
    added: list(text("an agent")),
    changed: list(text("an agent")),
    removed: list(text("an agent")),
    later: list(text("a setting that counts from the next start")),
  }),
);

export function agentAnswer(view: AgentView): TypeOf<typeof AGENT> {
  return {
    id: view.id,
    origin: view.origin,
    kind: view.kind,
    isEnabled: view.isEnabled,
    isPrimary: view.isPrimary,
    problem: view.problem,
    port: view.port,
    name: view.name,
    description: view.description,
    running: view.running,
    upstream: view.upstream && upstreamAnswer(view.upstream),
  };
}

export function agentDetailAnswer(detail: AgentDetail): TypeOf<typeof AGENT_DETAIL> {
  return { ...agentAnswer(detail), definition: detail.definition, card: detail.card };
}

/** The remote agents among them. */
export function upstreamsAnswer(views: readonly AgentView[]): TypeOf<typeof UPSTREAMS> {
  return {
    upstreams: views.flatMap(({ id, isEnabled, upstream }) =>
      upstream === undefined ? [] : [{ agent: id, isEnabled, ...upstreamAnswer(upstream) }],
    ),
  };
}

function upstreamAnswer(view: UpstreamView): TypeOf<typeof UPSTREAM> {
  return {
    isKnown: view.isKnown,
    fetchedAt: view.fetchedAt === undefined ? undefined : instantOf(view.fetchedAt),
    problem: view.problem,
    interfaces: view.interfaces.map(interfaceAnswer),
  };
}

function interfaceAnswer(view: UpstreamInterfaceView): TypeOf<typeof INTERFACE> {
  const { health } = view;
  return {
    url: view.url,
    binding: view.binding,
    version: view.version,
    breaker: view.breaker,
    isCurrent: view.isCurrent,
    health: health && {
      isUp: health.isUp,
      checkedAt: instantOf(health.checkedAt),
      problem: health.problem,
    },
  };
}
