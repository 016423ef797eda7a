import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Handler, HandlerEvent, Turn } from "../../../src/core/ports/handler.ts";
import type { ExecConfig } from "../../../src/handlers/exec/config.ts";
import { createExecHandler } from "../../../src/handlers/exec/handler.ts";
import { allOf, answer, stepsIn, textsIn, turnOf } from "../turns.ts";

let folder: string;
const handlers: Handler[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "exec-handler-"));
});

after(async () => {
  for (const handler of handlers) await handler.close?.();
  await rm(folder, { recursive: true });
});

async function exec(config: Omit<ExecConfig, "kind">): Promise<Handler> {
  const handler = await createExecHandler(
    { kind: "exec", ...config },
    {
      baseDir: folder,
      env: { PATH: process.env["PATH"], HOME: "/home/x", SECRET: "s" },
    },
  );
  handlers.push(handler);
  return handler;
}

/** A program in events mode that writes these lines. */
function says(...lines: readonly string[]): Promise<Handler> {
  return exec({ command: ["printf", "%s\\n", ...lines], mode: "events" });
}

/** A turn, and how to cancel it. */
function cancelable(text: string): { turn: Turn; controller: AbortController } {
  const controller = new AbortController();
  return { turn: turnOf(text, { signal: controller.signal }), controller };
}

/** Resolves when the process is gone; the test's time limit is the limit. */
async function gone(pid: number): Promise<void> {
  while (await isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Resolves when the process is gone and its parent has heard of it. */
async function reaped(pid: number): Promise<void> {
  while (await stat(`/proc/${pid}`).catch(() => undefined))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Zombies that nobody reaps count as gone. */
async function isRunning(pid: number): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return line !== undefined && !/^\d+ \(.*\) [ZX]/.test(line);
}

/** Reads until an artifact holds this many numbers: process ids that the program wrote. */
async function pidsFrom(events: AsyncIterator<HandlerEvent>, count: number): Promise<number[]> {
  const pids: number[] = [];
  while (pids.length < count) {
    const { value } = await events.next();
    pids.push(
      ...(textsIn([value as HandlerEvent])[0] ?? "")
        .trim()
        .split(/\s+/)
        .filter(Boolean)
        .map(Number),
    );
  }
  return pids;
}

test("gives the text to stdin and makes stdout an artifact", async () => {
  const handler = await exec({ command: ["tr", "a-z", "A-Z"] });
  assert.deepEqual(await answer(handler, turnOf([{ text: "ab" }, { text: "ü" }])), [
    { kind: "status", state: "TASK_STATE_WORKING" },
    {
      kind: "artifact",
      artifact: { artifactId: "output-1", parts: [{ text: "AB\nü" }] },
      lastChunk: true,
    },
  ]);
});

test("passes arguments as they are, and only command lines to a shell", async () => {
  const plain = await exec({ command: ["echo", "$HOME", "a  b;c"] });
  assert.equal(textsIn(await answer(plain, turnOf("")))[1], "$HOME a  b;c\n");
  const line = await exec({ command: "printf %s $HOME | tr x y" });
  assert.equal(textsIn(await answer(line, turnOf("")))[1], "/home/y");
  const list = await exec({ command: ["echo", "$HOME"], shell: true });
  assert.equal(textsIn(await answer(list, turnOf("")))[1], "/home/x\n");
});

test("does not mind a program that leaves its input unread", async () => {
  const handler = await exec({ command: ["true"] });
  assert.deepEqual(stepsIn(await answer(handler, turnOf("x".repeat(1_000_000)))), ["working"]);
});

test("refuses parts that are not text, before there is a task", async () => {
  const handler = await exec({ command: ["cat"] });
  await assert.rejects(answer(handler, turnOf([{ text: "a" }, { raw: "AA==" }])), {
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
    message: "message.parts[1]: this agent takes text only",
  });
});

test("gives programs a small environment with the ids of the turn", async () => {
  const handler = await exec({ command: ["env"], env: { MODEL: "small", HOME: "/else" } });
  const turn = turnOf("", { contextId: "a\0b" });
  const lines = textsIn(await answer(handler, turn))[1]
    ?.trim()
    .split("\n")
    .sort();
  assert.deepEqual(lines, [
    "A2A_AGENT=tested",
    "A2A_MESSAGE_ID=message-1",
    "A2A_TASK_ID=task-1",
    "HOME=/else",
    "MODEL=small",
    `PATH=${process.env["PATH"]}`,
  ]);
});

test("runs programs in the configured folder, and is not created without one", async () => {
  await writeFile(join(folder, "here.sh"), "#!/bin/sh\necho here\n", { mode: 0o755 });
  const handler = await exec({ command: ["./here.sh"] });
  assert.equal(textsIn(await answer(handler, turnOf("")))[1], "here\n");
  await assert.rejects(exec({ command: ["true"], cwd: "none" }), /cwd: no directory none/);
  await assert.rejects(exec({ command: [] }), /command: expected a program/);
});

test("streams stdout in chunks that keep characters whole, and marks the end", async () => {
  const command = `printf 'a\\303'; read go < gate; printf '\\274b'`;
  await writeFile(join(folder, "gate"), "");
  const handler = await exec({ command, stream: true });
  const events = (await answer(handler, turnOf(""))).slice(1);
  assert.equal(textsIn(events).join(""), "aüb");
  assert.ok(!textsIn(events).join("").includes("\ufffd"));
  for (const [index, event] of events.entries()) {
    assert.ok(event.kind === "artifact");
    assert.equal(event.artifact.artifactId, "output-1");
    assert.equal(event.append ?? false, index > 0);
    assert.equal(event.lastChunk ?? false, index === events.length - 1);
  }
});

test("sends a chunk while the program still runs", async () => {
  const handler = await exec({ command: "echo first; cat fifo; echo last", stream: true });
  await answer(await exec({ command: "mkfifo fifo" }), turnOf(""));
  const seen: (string | undefined)[] = [];
  for await (const event of handler.handle(turnOf(""))) {
    seen.push(...textsIn([event]));
    if (seen.at(-1) === "first\n") await writeFile(join(folder, "fifo"), "second\n");
  }
  assert.equal(seen.join(""), "first\nsecond\nlast\n");
});

test("replaces what is not UTF-8 in plain mode and refuses it in events mode", async () => {
  const command = ["printf", "a\\377b\\n"];
  assert.equal(textsIn(await answer(await exec({ command }), turnOf("")))[1], "a\ufffdb\n");
  await assert.rejects(answer(await exec({ command, mode: "events" }), turnOf("")), {
    reason: "INVALID_AGENT_RESPONSE",
    message: "the agent's answer is invalid: line 1: not UTF-8",
  });
});

test("gives the turn as one line of JSON and takes events as lines", async () => {
  const script = `
import json, sys
turn = json.loads(sys.stdin.readline())
assert sys.stdin.read() == ""
print(json.dumps({"status": "working"}), flush=True)
print()
print(json.dumps({"artifact": {"parts": [{"data": turn}]}}), end="")
`;
  const handler = await exec({ command: ["python3", "-c", script], mode: "events" });
  const turn = turnOf("a\nb", { metadata: { k: 1 }, headers: { "x-id": "7" } });
  const [, artifact] = await answer(handler, turn);
  assert.ok(artifact?.kind === "artifact");
  assert.deepEqual(artifact.artifact.parts[0]?.data, {
    type: "a2a_message",
    agent: "tested",
    taskId: "task-1",
    contextId: "context-1",
    contextGiven: false,
    message: { messageId: "message-1", role: "ROLE_USER", parts: [{ text: "a\nb" }] },
    referencedTasks: [],
    acceptedOutputModes: [],
    metadata: { k: 1 },
    extensions: [],
    headers: { "x-id": "7" },
    principal: { id: "" },
  });
});

for (const name of [
  "task_not_found",
  "task_not_cancelable",
  "unsupported_operation",
  "content_type_not_supported",
  "invalid_params",
]) {
  test(`throws the error ${name} that a program writes`, async () => {
    const handler = await says(`{"error":{"name":"${name}","message":"because"}}`);
    await assert.rejects(answer(handler, turnOf("")), {
      reason: name.toUpperCase(),
      message: "because",
    });
  });
}

for (const [what, lines, message] of [
  ["a line that is not JSON", ['{"status":"working"}', "oops"], "line 2: not JSON"],
  ["an unknown state", ['{"status":"paused"}'], 'line 1: status: no state "paused"'],
  ["a line that is no event", ["", "7"], "line 2: expected an object"],
  ["a wrong member", ['{"message":{"parts":[{}]}}'], "line 1: message.parts[0]: expected exactly"],
] as const) {
  test(`refuses ${what}, naming the line`, async () => {
    await assert.rejects(answer(await says(...lines), turnOf("")), (thrown: Error) => {
      assert.ok(thrown.message.startsWith(`the agent's answer is invalid: ${message}`));
      return true;
    });
  });
}

test("refuses a line that is too long, and stops the program", async () => {
  const command = "printf '{\"status\":\"working\"}\\n'; yes | tr -d '\\n'";
  const handler = await exec({ command, mode: "events", maxLine: 100_000 });
  await assert.rejects(answer(handler, turnOf("")), /line 2: longer than 100000 bytes/);
});

test("refuses output without end, and stops the program", async () => {
  for (const stream of [true, false]) {
    const handler = await exec({ command: ["yes"], maxOutput: 200_000, stream });
    await assert.rejects(answer(handler, turnOf("")), {
      reason: "INVALID_AGENT_RESPONSE",
      message: "the agent's answer is longer than 200000 bytes",
    });
  }
});

test("fails the task when the program exits with an error, with the end of its stderr", async () => {
  const command =
    "seq 100000 >&2; printf 'bad \\033[31mthing\\033[0m\\007\\n' >&2; echo out; exit 3";
  const events = await answer(await exec({ command }), turnOf(""));
  assert.deepEqual(stepsIn(events), ["working", "failed"]);
  const text = textsIn(events)[1] ?? "";
  assert.match(text, /^sh ended with exit code 3: …/);
  assert.match(text, /99999\n100000\nbad thing$/);
  assert.ok(text.length < 2100);
});

test("fails the task when the program is killed", async () => {
  const events = await answer(await exec({ command: "kill -SEGV $$" }), turnOf(""));
  assert.equal(textsIn(events)[1], "sh was ended by SIGSEGV");
});

test("says why it ended rather than that its last line is half", async () => {
  const command = `printf '{"status":"working"}\\n{"sta'; echo broken >&2; exit 1`;
  const events = await answer(await exec({ command, mode: "events" }), turnOf(""));
  assert.deepEqual(textsIn(events), [undefined, "sh ended with exit code 1: broken"]);
});

test("refuses a half line of a program that ended well", async () => {
  const handler = await exec({ command: ["printf", '{"sta'], mode: "events" });
  await assert.rejects(answer(handler, turnOf("")), /line 1: not JSON/);
});

test("fails the task when there is no such program, naming only the program", async () => {
  const missing = await exec({ command: ["/no/such/place/agent"], mode: "events" });
  assert.deepEqual(textsIn(await answer(missing, turnOf(""))), ["agent was not found"]);
  await writeFile(join(folder, "plain.txt"), "text");
  const refused = await exec({ command: ["./plain.txt"], mode: "events" });
  assert.deepEqual(textsIn(await answer(refused, turnOf(""))), ["plain.txt may not be executed"]);
});

test("stops the whole process group when the turn is canceled, and tells nothing more", async () => {
  const command = "sleep 600 & echo $$ $!; wait";
  const handler = await exec({ command, stream: true });
  const { turn, controller } = cancelable("");
  const events = handler.handle(turn)[Symbol.asyncIterator]();
  const pids = await pidsFrom(skippingStatus(events), 2);
  controller.abort();
  assert.deepEqual(await events.next(), { done: true, value: undefined });
  await Promise.all(pids.map(gone));
});

test("kills what does not heed SIGTERM after the grace period", async () => {
  const command = "trap '' TERM; sleep 600 & echo $$ $!; while :; do wait; done";
  const handler = await exec({ command, stream: true, killGrace: 50 });
  const { turn, controller } = cancelable("");
  const events = handler.handle(turn)[Symbol.asyncIterator]();
  const pids = await pidsFrom(skippingStatus(events), 2);
  controller.abort();
  assert.deepEqual(await events.next(), { done: true, value: undefined });
  await Promise.all(pids.map(gone));
});

test("stops the program when nobody reads its events any more", async () => {
  const handler = await exec({ command: "echo $$; exec sleep 600", stream: true });
  const events = handler.handle(turnOf(""))[Symbol.asyncIterator]();
  const pids = await pidsFrom(skippingStatus(events), 1);
  await events.return?.();
  await Promise.all(pids.map(gone));
});

test("fails the task when the program takes too long, after what it told", async () => {
  const command = `echo '{"status":"working"}'; exec sleep 600`;
  const handler = await exec({ command, mode: "events", timeout: 300 });
  assert.deepEqual(textsIn(await answer(handler, turnOf(""))), [
    undefined,
    "sh did not end within 300 ms",
  ]);
});

test("ends what a finished program left running in the background", async () => {
  const handler = await exec({ command: "sleep 600 & echo $!" });
  const text = textsIn(await answer(handler, turnOf("")))[1] ?? "";
  await gone(Number(text));
});

test("does not wait for ever for a process that left the group and holds stdout", async () => {
  const left = "setsid sh -c 'echo > left; exec sleep 600'";
  const handler = await exec({ command: `${left} & echo $!; cat left`, killGrace: 20 });
  await answer(await exec({ command: "mkfifo left" }), turnOf(""));
  const text = textsIn(await answer(handler, turnOf("")))[1] ?? "";
  process.kill(Number(text), "SIGKILL");
});

test("keeps all output of a program that ended long before it was read", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const handler = await exec({ command: "echo $$; exec seq 20000", stream: true });
  let text = "";
  for await (const event of handler.handle(turnOf(""))) {
    if (event.kind === "status") continue;
    text += textsIn([event])[0] ?? "";
    await reaped(Number(text.split("\n", 1)[0]));
    for (let hours = 0; hours < 3; hours++) context.mock.timers.tick(3_600_000);
  }
  assert.equal(text.trim().split("\n").length, 20_001);
});

test("starts no program for a turn that is canceled at the last moment", async () => {
  const handler = await exec({ command: "echo started > mark; exec sleep 600" });
  const { turn, controller } = cancelable("");
  const answered = answer(handler, turn);
  controller.abort();
  assert.deepEqual(await answered, []);
  await assert.rejects(readFile(join(folder, "mark")), { code: "ENOENT" });
});

test("runs as many programs at a time as configured, refuses when too many wait", async () => {
  const handler = await exec({ command: "cat gate2", concurrency: 1, maxQueue: 1 });
  await answer(await exec({ command: "mkfifo gate2" }), turnOf(""));
  const first = answer(handler, turnOf(""));
  const waiting = cancelable("");
  const second = answer(handler, waiting.turn);
  await assert.rejects(answer(handler, turnOf("")), { reason: "UNAVAILABLE" });
  waiting.controller.abort();
  assert.deepEqual(await second, []);
  const third = answer(handler, turnOf(""));
  await writeFile(join(folder, "gate2"), "one");
  assert.equal(textsIn(await first)[1], "one");
  await writeFile(join(folder, "gate2"), "two");
  assert.equal(textsIn(await third)[1], "two");
});

test("leaves no process when it is closed, and starts none afterwards", async () => {
  const handler = await exec({ command: "echo $$; exec sleep 600", stream: true });
  const events = handler.handle(turnOf(""))[Symbol.asyncIterator]();
  const pids = await pidsFrom(skippingStatus(events), 1);
  await handler.close?.();
  await Promise.all(pids.map(gone));
  assert.deepEqual(stepsIn(await allOf({ [Symbol.asyncIterator]: () => events })), [
    "artifact",
    "failed",
  ]);
  assert.deepEqual(textsIn(await answer(handler, turnOf(""))), ["the agent has been stopped"]);
});

function skippingStatus(events: AsyncIterator<HandlerEvent>): AsyncIterator<HandlerEvent> {
  return {
    async next() {
      for (;;) {
        const result = await events.next();
        if (result.done || result.value.kind !== "status") return result;
      }
    },
  };
}
