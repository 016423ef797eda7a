/** A gateway that asks who calls it, and callers of every kind. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATION_NAMES } from "../../src/access/policy/operations.ts";
import type { Handler, HandlerEvent, Turn } from "../../src/core/ports/handler.ts";
import type { OperationName } from "../../src/protocol/service.ts";
import { AUDIENCE, ISSUER, newSigningKey, tokenOf } from "../access/support/tokens.ts";
import { runGateway, type RunningGateway } from "../support/gateway.ts";
import { sendHttp } from "../support/http-client.ts";
import { accessDoors, type AccessDoor, type Headers, type Way } from "./access-doors.ts";
import { LOCAL } from "./webhook-stage.ts";

/** The agents, by who sees what came of the messages of others. */
export const AGENTS = { own: "none", team: "tenant", open: "everyone" } as const;
export type AgentId = keyof typeof AGENTS;

const KEY_HEADER = "x-api-key";

interface Holder {
  readonly id: string;
  readonly tenant?: string;
}

export type Caller = keyof typeof HOLDERS;

const HOLDERS = {
  alice: { id: "alice", tenant: "acme" },
  bob: { id: "bob", tenant: "acme" },
  namesake: { id: "alice", tenant: "globex" },
  stranger: { id: "stranger" },
} satisfies Record<string, Holder>;

/** Somebody who may do everything but that. */
function without(operation: OperationName): string {
  return `without-${operation}`;
}

export interface AccessStage {
  readonly gateway: RunningGateway;
  /** What the agents were told. */
  readonly turns: readonly Turn[];
  /** What somebody's requests bring. */
  headersOf(who: Caller): Headers;
  headersWithout(operation: OperationName): Headers;
  /** A token of alice, of acme, with claims of its own. */
  token(claims?: Readonly<Record<string, unknown>>): Promise<Headers>;
  /** The doors of an agent. */
  doorsOf(agent: AgentId): readonly AccessDoor[];
  /** The ways to an operation on the door of that name; none where the door has no such operation. */
  waysTo(name: string, operation: OperationName, agent?: AgentId): readonly Way[];
  stop(): Promise<void>;
}

interface Setup {
  readonly mode: "required" | "optional";
  /** Beside those that forbid each of some callers one operation. */
  readonly policies?: readonly object[];
  /** Beside those of the stage itself. */
  readonly settings?: object;
}

export async function accessStage({ mode, policies = [], settings }: Setup): Promise<AccessStage> {
  const folder = await mkdtemp(join(tmpdir(), "a2a-access-"));
  const signingKey = await newSigningKey("one");
  await writeFile(join(folder, "jwks.json"), JSON.stringify({ keys: [signingKey.jwk] }));
  const limited = OPERATION_NAMES.map((operation) => ({ id: without(operation), tenant: "acme" }));
  const holders = [...Object.values(HOLDERS), ...limited] satisfies readonly Holder[];
  const keys = new Map<Holder, string>(
    holders.map((holder) => [holder, randomBytes(32).toString("hex")]),
  );
  const turns: Turn[] = [];
  const handler = agentTelling(turns);
  const gateway = await runGateway({
    folder,
    agents: Object.fromEntries(
      Object.entries(AGENTS).map(([id, sharing]) => [
        id,
        {
          handler,
          settings: { sharing, idempotencyWindow: "1h", extendedCard: { name: "for friends" } },
        },
      ]),
    ),
    settings: {
      // What cannot be delivered is not tried again: nobody waits for it.
      push: { ...LOCAL, attempts: 1 },
      ops: { listen: "127.0.0.1:0" },
      ...settings,
      access: {
        mode,
        authenticators: [
          { apiKey: { in: "header", name: KEY_HEADER, keys: [...keys].map(staticKey) } },
          {
            jwt: { issuer: ISSUER, audience: AUDIENCE, jwks: "./jwks.json", tenantClaim: "tenant" },
          },
        ],
        policies: [
          { who: { anonymous: false } },
          ...(mode === "optional" ? [{ who: { anonymous: true } }] : []),
          ...OPERATION_NAMES.map((operation) => ({
            who: { principals: [without(operation)], tenants: ["acme"] },
            operations: [operation],
            effect: "deny",
          })),
          ...policies,
        ],
      },
    },
  });
  const opened = new Map<AgentId, readonly AccessDoor[]>();
  const headersFor = (holder: Holder | undefined): Headers => {
    const key = holder && keys.get(holder);
    assert.ok(key);
    return { [KEY_HEADER]: key };
  };
  const stage: AccessStage = {
    gateway,
    turns,
    headersOf: (who) => headersFor(HOLDERS[who]),
    headersWithout: (operation) => headersFor(limited.find(({ id }) => id === without(operation))),
    async token(claims = {}) {
      const token = await tokenOf(signingKey, { tenant: "acme", ...claims });
      return { authorization: `Bearer ${token}` };
    },
    doorsOf(agent) {
      const doors = opened.get(agent) ?? accessDoors(gateway, agent, `/a2a/${agent}`);
      opened.set(agent, doors);
      return doors;
    },
    waysTo(name, operation, agent = "own") {
      const door = stage.doorsOf(agent).find((each) => each.name === name);
      assert.ok(door, name);
      return door.ways.get(operation) ?? [];
    },
    async stop() {
      for (const each of [...opened.values()].flat()) each.close();
      await gateway.stop();
      await rm(folder, { recursive: true });
    },
  };
  await letAllInOnce(gateway.port, keys.values());
  return stage;
}

function staticKey([principal, key]: readonly [Holder, string]): object {
  return { hash: createHash("sha256").update(key).digest("hex"), principal };
}

/** Who has come in from an address before is not kept waiting by the wrong keys that others try there. */
async function letAllInOnce(port: number, keys: Iterable<string>): Promise<void> {
  for (const key of keys) {
    const { status } = await sendHttp(port, { path: "/a2a", headers: { [KEY_HEADER]: key } });
    assert.equal(status, 200);
  }
}

/**
 * Waits for an answer where it is asked "ask", holds a message "hold" back until another turn has the same one, and else
 * is done at once.
 */
function agentTelling(turns: Turn[]): Handler {
  const held = new Map<string, () => void>();
  const another = (messageId: string): Promise<void> =>
    new Promise((resolve) => {
      held.set(messageId, resolve);
      // Who waits for a turn that never comes is to fail, not to hang.
      setTimeout(resolve, 3_000).unref();
    });
  return {
    async *handle(turn): AsyncGenerator<HandlerEvent> {
      turns.push(turn);
      const { messageId, parts } = turn.message;
      const text = parts[0]?.text;
      held.get(messageId)?.();
      if (text === "hold" && !held.has(messageId)) {
        yield { kind: "status", state: "TASK_STATE_WORKING" };
        await another(messageId);
      }
      if (text === "ask")
        yield {
          kind: "status",
          state: "TASK_STATE_INPUT_REQUIRED",
          message: { parts: [{ text: "a secret question" }] },
        };
      else yield { kind: "artifact", artifact: { parts: [{ text: "a secret answer" }] } };
    },
  };
}
