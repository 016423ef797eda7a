import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { afterEach, describe, test } from "node:test";
import { openHttp } from "../../support/http-client.ts";
import { scriptedService, ScriptedStream, statusItem } from "../../support/scripted-service.ts";
import { startTransports, type Transports } from "../../support/transports.ts";

describe("event streams", () => {
  let transports: Transports;
  afterEach(() => transports.stop());

  const open = async (stream: ScriptedStream, heartbeatMs = 0): Promise<IncomingMessage> => {
    const service = scriptedService({ subscribeToTask: () => stream });
    transports = await startTransports(service, { heartbeatMs });
    return openHttp(transports.port, {
      path: "/tasks/t1:subscribe",
      headers: { "accept-encoding": "gzip, br" },
    });
  };

  test("are marked so that nothing on the way holds them back", async () => {
    const { headers, statusCode } = await open(new ScriptedStream().push(statusItem(1)).end());
    assert.equal(statusCode, 200);
    assert.equal(headers["content-type"], "text/event-stream");
    assert.equal(headers["cache-control"], "no-cache, no-transform");
    assert.equal(headers["x-accel-buffering"], "no");
    assert.equal(headers["content-length"], undefined);
    assert.equal(headers["content-encoding"], undefined);
  });

  test("deliver an event while the stream is still open", async () => {
    const stream = new ScriptedStream().push(statusItem(1));
    const chunks = (await open(stream))[Symbol.asyncIterator]();
    assert.match(String((await chunks.next()).value), /^id: 1\ndata: .*\n\n$/);
    stream.push(statusItem(2));
    assert.match(String((await chunks.next()).value), /^id: 2\ndata: .*\n\n$/);
    stream.end();
    assert.equal((await chunks.next()).done, true);
  });

  test("deliver the events of one tick in one piece", async () => {
    const stream = new ScriptedStream().push(statusItem(1));
    const chunks = (await open(stream))[Symbol.asyncIterator]();
    await chunks.next();
    stream.push(statusItem(2), statusItem(3), statusItem(4));
    const piece = String((await chunks.next()).value);
    assert.equal(piece.match(/^data: /gm)?.length, 3);
  });

  test("write each event on one line", async () => {
    const stream = new ScriptedStream().push(statusItem(1, "a\nb\r\nc\u2028d")).end();
    const text = (await (await open(stream)).setEncoding("utf8").toArray()).join("");
    assert.match(text, /^id: 1\ndata: [^\n\r]+\n\n$/);
  });

  test("carry comments while nothing happens, without ending an event", async () => {
    const stream = new ScriptedStream().push(statusItem(1));
    const incoming = (await open(stream, 30)).setEncoding("utf8");
    let text = "";
    for await (const chunk of incoming) {
      text += chunk as string;
      if (text.endsWith("\n:\n:\n:\n")) break;
    }
    assert.match(text, /^id: 1\ndata: [^\n]+\n\n(:\n)+$/);
  });

  test("that are empty are still streams", async () => {
    const incoming = await open(new ScriptedStream().end());
    assert.equal(incoming.headers["content-type"], "text/event-stream");
    assert.deepEqual(await incoming.toArray(), []);
  });
});
