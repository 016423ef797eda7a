import assert from "node:assert/strict";
import { test } from "node:test";
import { openTaskStore } from "../../src/store/knex/task-store.ts";
import { modelOf } from "../../src/protocol/ready-made.ts";
import { callOf, requestOf, startService } from "../support/task-service.ts";
import { wrapped } from "../support/wrapped-store.ts";

test("pages on from where tasks were found, whatever their statuses are meanwhile", async (t) => {
  const real = await openTaskStore({ file: ":memory:" });
  const store = wrapped(real, {
    async list(query) {
      const page = await real.list(query);
      const positions = page.positions.map(({ id }) => ({ id, timestamp: 36 }));
      return { ...page, positions };
    },
  });
  const handler = {
    async *handle() {
      yield { kind: "status", state: "TASK_STATE_COMPLETED" } as const;
    },
  };
  const { service, stop } = await startService(handler, { store });
  t.after(stop);
  for (const text of ["a", "b"]) await service.sendMessage(requestOf(text), callOf());
  const { tasks, nextPageToken } = await service.listTasks({ pageSize: 1 }, callOf());
  assert.equal(nextPageToken, `10-${tasks[0] && modelOf(tasks[0]).id}`);
});

test("shows tasks without artifacts unless asked, however large these are", async (t) => {
  const text = "x".repeat(800_000);
  const handler = {
    async *handle() {
      yield { kind: "artifact", artifact: { parts: [{ text }] } } as const;
    },
  };
  const store = await openTaskStore({ file: ":memory:", cacheTasks: 0 });
  const { service, stop } = await startService(handler, { store });
  t.after(stop);
  for (const message of ["a", "b", "c"]) await service.sendMessage(requestOf(message), callOf());
  const plain = await service.listTasks({}, callOf());
  assert.deepEqual(
    plain.tasks.map((task) => modelOf(task).artifacts),
    [undefined, undefined, undefined],
  );
  const whole = await service.listTasks({ includeArtifacts: true }, callOf());
  assert.deepEqual(
    whole.tasks.map((task) => modelOf(task).artifacts?.[0]?.parts[0]?.text === text),
    [true],
  );
  assert.notEqual(whole.nextPageToken, "");
});
