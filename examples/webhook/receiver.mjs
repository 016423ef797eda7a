// A receiver of webhooks, with nothing but Node: node examples/webhook/receiver.mjs [HOST:PORT [GATEWAY]]
// It prints what GATEWAY, its public URL, has signed for it, each delivery once; docs/guides/webhooks.md tries it out.
import { once } from "node:events";
import { createServer } from "node:http";
import { verifiedClaims } from "./verify.mjs";

const [address = "127.0.0.1:9100", gateway = "http://127.0.0.1:8080"] = process.argv.slice(2);
// What must be taken once even after a restart is remembered where a restart finds it.
const taken = new Set();

const server = createServer((request, response) => {
  answer(request, response).catch(() => {
    response.destroy();
  });
});
const { hostname, port } = new URL(`http://${address}`);
server.listen(Number(port || 80), hostname);
await once(server, "listening");
console.log(`listening on http://${address}`);

async function answer(request, response) {
  const { headers, url } = request;
  const body = await textOf(request);
  try {
    await verifiedClaims({ gateway, webhook: `http://${address}${url}`, headers, body });
  } catch (error) {
    console.log(`refused: ${error.message}`);
    response.writeHead(401).end();
    return;
  }
  const id = headers["a2a-delivery-id"];
  // The same delivery comes again when the gateway did not hear of the answer.
  if (!taken.has(id)) {
    taken.add(id);
    const token = headers["x-a2a-notification-token"];
    console.log(`${token}, try ${headers["a2a-delivery-attempt"]}: ${body}`);
  }
  response.writeHead(204).end();
}

async function textOf(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
