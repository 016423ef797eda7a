// The endpoint of examples/http.yaml, with nothing but Node: node examples/http/server.mjs
// A turn comes as JSON by POST; each event of the answer is a line of JSON. The cancel URL is told of canceled turns.
import { createServer } from "node:http";

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  });
});

server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

async function answer(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const turn = JSON.parse(body);
  if (request.url === "/cancel") {
    console.log(`task ${turn.taskId} was canceled`);
    response.writeHead(204).end();
    return;
  }
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const say = (event) => response.write(`${JSON.stringify(event)}\n`);
  const text = turn.message.parts.map((part) => part.text ?? "").join(" ");
  say({ status: "working" });
  say({ artifact: { name: "reversed", text: [...text].toReversed().join("") } });
  say({ status: "completed" });
  response.end();
}
