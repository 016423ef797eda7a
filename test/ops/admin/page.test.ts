/** Runs the examples of docs/admin-api.md, and looks for every route in it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { startAdmin, type AdminRequest } from "../support/admin-client.ts";

const page = readFileSync("docs/admin-api.md", "utf8");

interface Example {
  readonly command: string;
  /** Undefined where the answer has no body. */
  readonly answer: string | undefined;
}

const examples = [...page.matchAll(/```sh\n(curl .*)\n```\n(?:\n```json\n([^]*?)```)?/g)].map(
  ([, command = "", answer]): Example => ({ command, answer }),
);

for (const { command, answer } of examples)
  test(`the page shows what is answered to: ${command}`, async (t) => {
    const access = command.includes("Authorization")
      ? { token: "secret", isLoopback: true, callers: undefined }
      : undefined;
    const { call } = await startAdmin(t, access && { access });
    const { method, path, request, members } = parsed(command);
    const { body } = await call(method, path, request);
    const shown = answer === undefined ? undefined : (JSON.parse(answer) as unknown);
    assert.deepEqual(members === undefined ? body : picked(body, members), shown);
  });

test("the page has every route, and no other", async (t) => {
  const { call } = await startAdmin(t);
  const { paths } = (await call("GET", "/admin/openapi.json")).body as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const titles = [...page.matchAll(/^### (.*)$/gm)].map(([, title]) => title ?? "");
  assert.deepEqual(titles.toSorted(), routes.toSorted());
  assert.ok(examples.length > routes.length);
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly request: AdminRequest;
  /** The members that `jq` picks. */
  readonly members: readonly string[] | undefined;
}

/** As much of a shell as the page uses. */
function parsed(command: string): Asked {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? "",
  );
  const after = (option: string): readonly string[] =>
    words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
  const url = words.find((word) => word.startsWith("http://127.0.0.1:9090/"));
  assert.ok(url, command);
  const [body] = after("-d");
  const headers = after("-H").map((header) => header.toLowerCase().split(": ", 2));
  return {
    method: after("-X")[0] ?? "GET",
    path: url.slice("http://127.0.0.1:9090".length),
    request: { headers: Object.fromEntries(headers) as Record<string, string>, body },
    members: after("jq")[0]?.match(/\w+/g) ?? undefined,
  };
}

function picked(body: unknown, members: readonly string[]): object {
  const object = body as Readonly<Record<string, unknown>>;
  return Object.fromEntries(members.map((name) => [name, object[name]]));
}
