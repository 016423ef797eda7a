import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fakeAgent } from "../../../support/fake-agent.ts";
import { rpc } from "../../../support/fake-agent/answers.ts";
import { fakeGrpcAgent, messages } from "../../../support/fake-agent/grpc.ts";
import { bytes, failureIn, getTask, peerTo, saying } from "./peers.ts";

const TASK = { id: "t" };
const [cert = "", key = ""] = ["cert.pem", "key.pem"].map((file) =>
  readFileSync(`test/handlers/upstream/fixtures/${file}`, "utf8"),
);
const identity = { cert, key };
const tls = { ca: cert, cert, key };

test("calls over TLS when the agent's certificate is of a known authority", async (context) => {
  const agent = await fakeAgent(context, rpc({ result: TASK }), identity);
  const peer = peerTo(context, agent.url, "JSONRPC", {}, tls);
  assert.deepEqual(await getTask(peer), TASK);
  const grpcAgent = await fakeGrpcAgent(context, messages([bytes(TASK)]), { identity });
  const name = grpcAgent.address.replace("127.0.0.1", "localhost");
  for (const url of [name, `https://${name}`]) {
    const grpcPeer = peerTo(context, url, "GRPC", {}, tls);
    assert.deepEqual(await getTask(grpcPeer), TASK);
  }
});

test("may be sent again when it is not", async (context) => {
  const agent = await fakeAgent(context, rpc({ result: TASK }), identity);
  const expected = "connect (retryable) UNAVAILABLE: no secure connection to the agent";
  assert.equal(saying(await failureIn(getTask(peerTo(context, agent.url)))), expected);
  const grpcAgent = await fakeGrpcAgent(context, messages([bytes(TASK)]), { identity });
  const grpcPeer = peerTo(
    context,
    `https://${grpcAgent.address.replace("127.0.0.1", "localhost")}`,
    "GRPC",
  );
  assert.equal(
    saying(await failureIn(getTask(grpcPeer))),
    "connect (retryable) UNAVAILABLE: the agent cannot be reached",
  );
  assert.deepEqual([agent.received, grpcAgent.received], [[], []]);
});
