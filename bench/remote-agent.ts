/**
 * The agent behind the gateway in the proxy rows: a 1.0 agent that costs next to nothing, on all three bindings.
 * `REMOTE_HTTP` and `REMOTE_GRPC` are the ports of its two servers, on the loopback.
 */
import { once } from "node:events";
import { cardOf } from "./agents/remote/card.ts";
import { openGrpcServer } from "./agents/remote/grpc.ts";
import { openHttpServer } from "./agents/remote/http.ts";

const HOST = "127.0.0.1";
const { REMOTE_HTTP = "0", REMOTE_GRPC = "0" } = process.env;
const card = cardOf({ origin: `http://${HOST}:${REMOTE_HTTP}`, grpc: `${HOST}:${REMOTE_GRPC}` });
const http = openHttpServer(card);
const grpc = openGrpcServer();
await Promise.all([
  once(http.listen(Number(REMOTE_HTTP), HOST), "listening"),
  once(grpc.listen(Number(REMOTE_GRPC), HOST), "listening"),
]);
console.log("ready");
