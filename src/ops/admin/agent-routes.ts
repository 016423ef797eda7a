/** Agents: which there are, how they do, and their changes while the gateway runs. */
import type { Subject } from "../../core/ports/audit.ts";
import type { AgentControl } from "../../core/ports/agent-control.ts";
import {
  AGENT_DETAIL,
  agentAnswer,
  agentDetailAnswer,
  AGENTS,
  RELOADED,
  UPSTREAMS,
  upstreamsAnswer,
} from "./agent-answers.ts";
import { AdminError } from "./failure.ts";
import { NO_BODY, objectBody } from "./input.ts";
import { agentParameter } from "./parameter.ts";
import { ok, route, type Change, type Route } from "./route.ts";
import { NOTHING } from "./schema.ts";

const segments = { id: agentParameter("the agent's id") };
const about = ({ segments: { id } }: Change<unknown>): Subject => ({ agent: id });
const ONE = { segments, answer: AGENT_DETAIL, statuses: { 200: "the agent" } } as const;

export function agentRoutes(control: AgentControl): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/admin/agents",
      operation: "listAgents",
      summary: "Every agent, enabled or not: those of the configuration first",
      answer: AGENTS,
      statuses: { 200: "the agents" },
      run: async () => ok({ agents: control.list().map(agentAnswer) }),
    }),
    route({
      method: "GET",
      path: "/admin/agents/{id}",
      operation: "getAgent",
      summary: "One agent with its definition and its card",
      ...ONE,
      failures: [404],
      async run({ path: { id } }) {
        const found = control.find(id);
        if (found === undefined)
          throw new AdminError("NOT_FOUND", `no agent ${JSON.stringify(id)}`);
        return ok(agentDetailAnswer(found));
      },
    }),
    route({
      method: "PUT",
      path: "/admin/agents/{id}",
      operation: "putAgent",
      about,
      summary: "Adds an agent, or gives one that was added another definition",
      segments,
      body: objectBody("what would stand below its id in the configuration"),
      answer: AGENT_DETAIL,
      statuses: { 200: "it has the new definition", 201: "it was added" },
      failures: [409],
      async run({ path: { id }, body }) {
        const status = control.find(id) === undefined ? 201 : 200;
        return { status, body: agentDetailAnswer(await control.add(id, body)) };
      },
    }),
    route({
      method: "DELETE",
      path: "/admin/agents/{id}",
      operation: "deleteAgent",
      about,
      summary: "Removes an agent that was added: its turns end, their tasks fail",
      segments,
      body: NO_BODY,
      answer: NOTHING,
      statuses: { 204: "it is gone" },
      failures: [404, 409],
      async run({ path: { id } }) {
        await control.remove(id);
        return { status: 204, body: undefined };
      },
    }),
    route({
      method: "POST",
      path: "/admin/agents/{id}/enable",
      operation: "enableAgent",
      about,
      summary: "Serves an agent again, now and after later starts",
      ...ONE,
      body: NO_BODY,
      failures: [404, 409],
      run: async ({ path: { id } }) => ok(agentDetailAnswer(await control.setEnabled(id, true))),
    }),
    route({
      method: "POST",
      path: "/admin/agents/{id}/disable",
      operation: "disableAgent",
      about,
      summary: "Serves an agent no longer, now and after later starts; not for the primary agent",
      ...ONE,
      body: NO_BODY,
      failures: [404, 409],
      run: async ({ path: { id } }) => ok(agentDetailAnswer(await control.setEnabled(id, false))),
    }),
    route({
      method: "POST",
      path: "/admin/agents/{id}/refresh",
      operation: "refreshAgent",
      about,
      summary: "Asks a remote agent for its card now",
      ...ONE,
      body: NO_BODY,
      failures: [404, 409],
      run: async ({ path: { id } }) => ok(agentDetailAnswer(await control.refresh(id))),
    }),
    route({
      method: "POST",
      path: "/admin/reload",
      operation: "reload",
      summary: "Reads the configuration again",
      body: NO_BODY,
      answer: RELOADED,
      statuses: { 200: "what has changed" },
      failures: [409],
      async run() {
        const { added, changed, removed, later } = await control.reload();
        return ok({ added, changed, removed, later });
      },
    }),
    route({
      method: "GET",
      path: "/admin/upstreams",
      operation: "listUpstreams",
      summary: "Every remote agent: its interfaces, their health and their breakers",
      answer: UPSTREAMS,
      statuses: { 200: "the remote agents" },
      run: async () => ok(upstreamsAnswer(control.list())),
    }),
  ];
}
