// An agent that speaks A2A 0.3 over JSON-RPC and nothing else: PORT=9000 node examples/legacy/agent.mjs
// docs/guides/legacy-agent.md puts it behind the gateway.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const tasks = new Map();

const server = createServer((request, response) => {
  if (request.method === "GET") json(response, card());
  else
    answer(request, response).catch(() => {
      response.destroy();
    });
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}`;
console.log(`listening on ${url}`);

function card() {
  return {
    protocolVersion: "0.3.0",
    name: "Weather",
    description: "Tells the weather of a city",
    url: `${url}/rpc`,
    preferredTransport: "JSONRPC",
    version: "2.4.0",
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [
      { id: "forecast", name: "Forecast", description: "The weather today", tags: ["weather"] },
    ],
  };
}

async function answer(request, response) {
  const { id, method, params } = await bodyOf(request);
  switch (method) {
    case "message/send": {
      const events = [...eventsOf(params.message)];
      json(response, { jsonrpc: "2.0", id, result: tasks.get(events[0].id) });
      break;
    }
    case "message/stream":
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      for (const result of eventsOf(params.message))
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
      response.end();
      break;
    case "tasks/get": {
      const result = tasks.get(params.id);
      const error = { code: -32001, message: "Task not found" };
      json(response, { jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
      break;
    }
    default: {
      const error = { code: -32601, message: `no method ${method}` };
      json(response, { jsonrpc: "2.0", id, error });
    }
  }
}

/** What becomes of a message: the task as it begins, then what changes of it. */
function* eventsOf(message) {
  const text = message.parts.map((part) => part.text ?? "").join(" ");
  const city = /in (\w+)/.exec(text)?.[1] ?? "here";
  const ids = { taskId: randomUUID(), contextId: message.contextId ?? randomUUID() };
  const artifact = {
    artifactId: "forecast",
    parts: [{ kind: "text", text: `Rain in ${city}, 11 °C` }],
  };
  const at = (state) => ({ state, timestamp: new Date().toISOString() });
  const begun = { kind: "task", id: ids.taskId, contextId: ids.contextId, status: at("working") };
  const completed = at("completed");
  tasks.set(ids.taskId, { ...begun, status: completed, artifacts: [artifact] });
  yield begun;
  yield { kind: "artifact-update", ...ids, artifact, lastChunk: true };
  yield { kind: "status-update", ...ids, status: completed, final: true };
}

async function bodyOf(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return JSON.parse(text);
}

function json(response, value) {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));
}
