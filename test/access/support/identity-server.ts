/** HTTP servers on a loopback port, in the place of whoever issues tokens. */
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** Ends with the test, connections and all. */
export async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves JSON that a test may replace, by path, and counts who asks. */
export interface Documents {
  readonly url: string;
  readonly asked: string[];
  documents: Readonly<Record<string, unknown>>;
  /** Answered instead of everything while it is set. */
  status: number | undefined;
}

export async function serveDocuments(t: TestContext): Promise<Documents> {
  const asked: string[] = [];
  const state: Documents = { url: "", asked, documents: {}, status: undefined };
  const url = await serve(t, (req, res) => {
    const path = req.url ?? "";
    asked.push(path);
    const found = state.documents[path];
    res.statusCode = state.status ?? (found === undefined ? 404 : 200);
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify(found ?? {}));
  });
  return Object.assign(state, { url });
}

export async function bodyOf(req: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of req) text += String(chunk);
  return text;
}
