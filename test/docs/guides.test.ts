/** The guides are executed: every command in a `console` block runs, and answers as the page shows it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { blocksOf, isAsShown, sessionsOf, type Session } from "./console.ts";
import { freePort } from "./free-port.ts";
import { leadToNginx, startNginx } from "./nginx.ts";
import {
  DOCS,
  knowsVersion,
  stageFolder,
  stageOf,
  startGateway,
  startLegacyAgent,
  type Stage,
} from "./stage.ts";

const GUIDES = join(DOCS, "guides");
const FILES = (await readdir(GUIDES)).filter((name) => !name.endsWith(".md"));

interface Page {
  /** Below docs/. */
  readonly path: string;
  /** Programs without which none of it can be tried. */
  readonly needs: readonly string[];
  /** What its commands work on. */
  stage(t: TestContext): Promise<Stage>;
}

const PAGES: readonly Page[] = [
  {
    path: "guides/legacy-agent.md",
    needs: [],
    async stage(t) {
      const folder = await stageFolder(t);
      const agent = new Map([["127.0.0.1:9000", await startLegacyAgent(t)]]);
      const config = replacing(agent)(await configOf("legacy-agent.yaml"));
      const own = await startGateway(t, folder, config);
      await knowsVersion(own.get("127.0.0.1:8080") ?? "", "2.4.0");
      return stageOf(folder, replacing(new Map([...agent, ...own])));
    },
  },
  {
    path: "guides/many-agents.md",
    needs: [],
    stage: (t) => besideGateway(t, "many-agents.yaml"),
  },
  {
    path: "guides/migrating-clients.md",
    needs: [],
    stage: (t) => besideGateway(t, "migrating-clients.yaml"),
  },
  {
    path: "guides/behind-nginx.md",
    needs: ["nginx", "openssl"],
    async stage(t) {
      const folder = await stageFolder(t);
      const addresses = await startGateway(t, folder, await configOf("behind-nginx.yaml"));
      const gateway = addresses.get("127.0.0.1:8080") ?? "";
      await leadToNginx(folder, await startNginx(t, folder, gateway));
      const log = ["/var/log/nginx/a2a.log", join(folder, "access.log")] as const;
      return stageOf(folder, replacing(new Map([log, ...addresses])));
    },
  },
  {
    path: "guides/access.md",
    needs: [],
    async stage(t) {
      const folder = await stageFolder(t);
      // Its keys are there before the gateway starts, as the page has it.
      const issuer = ["examples/access/token.mjs", "nobody"];
      assert.equal(spawnSync(process.execPath, issuer, { cwd: folder }).status, 0);
      return stageOf(
        folder,
        replacing(await startGateway(t, folder, await configOf("access.yaml"))),
      );
    },
  },
  { path: "guides/webhooks.md", needs: [], stage: withWebhooks },
  { path: "webhooks.md", needs: [], stage: withWebhooks },
  { path: "catalogue.md", needs: [], stage: (t) => besideGateway(t, "many-agents.yaml") },
];

test("every guide is tried", async () => {
  const guides = (await readdir(GUIDES)).filter((name) => name.endsWith(".md"));
  const tried = PAGES.map(({ path }) => path);
  for (const guide of guides) assert.ok(tried.includes(`guides/${guide}`), guide);
});

for (const { path, needs, stage } of PAGES) {
  const page = await readFile(join(DOCS, path), "utf8");

  test(`${path} shows its files as they are`, async () => {
    for (const file of FILES)
      for (const mark of ["yaml", "nginx"])
        for (const [line, text] of blocksOf(page, `${mark} ${file}`))
          assert.equal(text, await configOf(file), `line ${line}`);
  });

  test(`${path} shows what its commands answer`, { skip: firstMissing(needs) }, async (t) => {
    const opened = await stage(t);
    for (const session of sessionsOf(page))
      await t.test(titleOf(session), { skip: missingFor(session) }, () => answers(opened, session));
  });
}

test("webhooks.md shows the check of signatures as the example has it", async () => {
  const [[, shown] = []] = blocksOf(await readFile(join(DOCS, "webhooks.md"), "utf8"), "js");
  assert.equal(shown, await readFile(join(DOCS, "../examples/webhook/verify.mjs"), "utf8"));
});

/** How long a session may take to be as shown: logs and webhooks come a little after the answer to a call. */
const PATIENCE_MS = 20_000;

/** Runs the session again while it is not as shown. */
async function answers(stage: Stage, session: Session): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const difference = await differenceOf(stage, session);
    if (difference === undefined) return;
    if (performance.now() > end) assert.fail(difference);
    await setTimeout(200);
  }
}

/** What is first found to be not as shown. */
async function differenceOf(stage: Stage, { steps }: Session): Promise<string | undefined> {
  const outputs = await stage.run(steps);
  for (const [index, { command, answer }] of steps.entries()) {
    const output = outputs[index] ?? "";
    const shown = stage.localised(answer);
    if (!isAsShown(shown, output)) return `${command}\nshows\n${shown}\nbut answers\n${output}`;
  }
  return undefined;
}

function titleOf({ line, steps }: Session): string {
  return `line ${line}: ${steps[0]?.command.split("\n")[0]}`;
}

async function besideGateway(t: TestContext, config: string): Promise<Stage> {
  const folder = await stageFolder(t);
  return stageOf(folder, replacing(await startGateway(t, folder, await configOf(config))));
}

/** The key that deliveries are signed with is there, and the receiver is for the page to start. */
async function withWebhooks(t: TestContext): Promise<Stage> {
  const folder = await stageFolder(t);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(join(folder, "webhooks.pem"), pem);
  const config = await configOf("webhooks.yaml");
  const addresses = await startGateway(t, folder, config, await freePort());
  const receiver = ["127.0.0.1:9100", `127.0.0.1:${await freePort()}`] as const;
  return stageOf(folder, replacing(new Map([receiver, ...addresses])));
}

function configOf(file: string): Promise<string> {
  return readFile(join(GUIDES, file), "utf8");
}

function replacing(addresses: ReadonlyMap<string, string>): (text: string) => string {
  return (text) => {
    let replaced = text;
    for (const [said, is] of addresses) replaced = replaced.replaceAll(said, is);
    return replaced;
  };
}

function missingFor({ steps }: Session): string | false {
  const words = steps.flatMap(({ command }) => command.replace(/ \| jq$/, "").split(/[^\w-]+/));
  return firstMissing(["curl", "grpcurl", "jq"].filter((program) => words.includes(program)));
}

/** Why something cannot be tried here. */
function firstMissing(programs: readonly string[]): string | false {
  const name = programs.find((each) => spawnSync("sh", ["-c", `command -v ${each}`]).status !== 0);
  return name !== undefined && `${name} is not installed`;
}
