/** What is known of a remote agent, and told to those who run the gateway, while it is away and when it is back. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { UpstreamConfig } from "../../../src/handlers/upstream/config.ts";
import type { FoundCard } from "../../../src/handlers/upstream/discovery/found-card.ts";
import { createUpstreamHandler } from "../../../src/handlers/upstream/handler.ts";
import { rpc } from "../../support/fake-agent/answers.ts";
import { rpcAgent } from "../../support/fake-agent/rpc-agent.ts";
import { saying } from "../../support/fake-agent/told.ts";
import { silent, turnOf } from "../turns.ts";
import { told } from "./following.ts";
import { CARD_PATH, ManualTimers } from "./support.ts";

type Settings = Omit<UpstreamConfig, "kind">;

async function open(context: TestContext, settings: Settings, lastCards: readonly FoundCard[]) {
  const timers = new ManualTimers();
  const handler = await createUpstreamHandler(
    { kind: "upstream", retries: { attempts: 1 }, ...settings },
    { baseDir: "/", log: silent, timers, lastCards },
  );
  context.after(() => handler.close?.());
  return { handler, timers };
}

const hello = { SendStreamingMessage: rpc({ result: { message: saying("hello") } }) };

async function cardOf(url: string): Promise<FoundCard> {
  const json: unknown = await (await fetch(url + CARD_PATH)).json();
  return { base: url, url: url + CARD_PATH, json, fetchedAt: 1 };
}

test("an agent that is away at the start is known by its last card, and called again once it is back", async (context) => {
  const agent = await rpcAgent(context, hello);
  const last = await cardOf(agent.url);
  await agent.leave();
  const { handler, timers } = await open(context, { url: agent.url }, [last]);
  assert.equal(handler.card?.()?.name, "Scripted");
  await handler.refresh();
  const { isKnown, fetchedAt, problem } = handler.upstream();
  assert.deepEqual([isKnown, fetchedAt], [true, 1]);
  assert.match(problem ?? "", /ECONNREFUSED/);
  await assert.rejects(drained(handler.handle(turnOf("hi"))), {
    reason: "UNAVAILABLE",
    retryAfter: 1,
  });

  await agent.comeBack();
  assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["message hello"]);
  await handler.refresh();
  assert.deepEqual(handler.upstream(), {
    isKnown: true,
    fetchedAt: timers.now(),
    problem: undefined,
    interfaces: [
      {
        url: `${agent.url}/rpc`,
        binding: "JSONRPC",
        version: "1.0",
        breaker: "closed",
        isCurrent: true,
        health: { isUp: true, checkedAt: timers.now(), problem: undefined },
      },
    ],
  });
});

test("an agent that was never reached is not known, and says when calls make sense", async (context) => {
  const agent = await rpcAgent(context, hello);
  await agent.leave();
  const { handler } = await open(context, { url: agent.url }, []);
  await handler.refresh();
  assert.equal(handler.card?.(), undefined);
  const { isKnown, problem, interfaces } = handler.upstream();
  assert.deepEqual([isKnown, interfaces], [false, []]);
  assert.match(problem ?? "", /ECONNREFUSED/);
  await assert.rejects(drained(handler.handle(turnOf("hi"))), {
    reason: "UNAVAILABLE",
    retryAfter: 1,
  });
  await agent.comeBack();
  await handler.refresh();
  assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["message hello"]);
});

test("the status tells of interfaces that are left alone, and why a check finds them down", async (context) => {
  const agent = await rpcAgent(context, hello);
  const { handler } = await open(context, { url: agent.url, breaker: { failures: 1 } }, []);
  await handler.refresh();
  await agent.leave();
  await assert.rejects(drained(handler.handle(turnOf("hi"))), { reason: "UNAVAILABLE" });
  assert.equal(handler.upstream().interfaces[0]?.breaker, "open");
  await handler.refresh();
  const [found] = handler.upstream().interfaces;
  assert.equal(found?.health?.isUp, false);
  assert.match(found?.health?.problem ?? "", /ECONNREFUSED/);
  await agent.comeBack();
  await handler.refresh();
  assert.equal(handler.upstream().interfaces[0]?.breaker, "half-open");
  assert.deepEqual(await told(handler.handle(turnOf("hi"))), ["message hello"]);
  assert.equal(handler.upstream().interfaces[0]?.breaker, "closed");
});

/** To the end. */
async function drained(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
