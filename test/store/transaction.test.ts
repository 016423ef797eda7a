import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { openConnection, type Connection } from "../../src/store/knex/connection.ts";
import { savepoint, transaction } from "../../src/store/knex/transaction.ts";

/** A table of numbers, on a connection that cannot run the statements that are in `broken`. */
async function table(context: TestContext) {
  const connection = await openConnection(":memory:");
  context.after(() => connection.close());
  await connection.exec("create table t (n integer)");
  const broken = new Set<string>();
  const breakable: Connection = {
    ...connection,
    run: (sql, values) =>
      broken.has(sql)
        ? Promise.reject(new Error(`disk I/O error in ${sql}`))
        : connection.run(sql, values),
  };
  const add = (n: number) => breakable.run("insert into t values (?)", [n]);
  const numbers = async () =>
    (await connection.all<{ n: number }>("select n from t", [])).map(({ n }) => n);
  return { connection: breakable, broken, add, numbers };
}

function failing(work: () => Promise<unknown>): () => Promise<never> {
  return async () => {
    await work();
    throw new Error("no");
  };
}

test("keeps nothing of work that throws, and passes on what it threw", async (t) => {
  const { connection, add, numbers } = await table(t);
  await assert.rejects(
    transaction(
      connection,
      failing(() => add(1)),
    ),
    { message: "no" },
  );
  await transaction(connection, async () => {
    await add(2);
    await assert.rejects(
      savepoint(
        connection,
        failing(() => add(3)),
      ),
      { message: "no" },
    );
  });
  assert.deepEqual(await numbers(), [2]);
});

test("passes on what was thrown when SQLite has rolled back by itself", async (t) => {
  const { connection } = await table(t);
  const work = failing(() => connection.run("rollback", []));
  await assert.rejects(transaction(connection, work), { message: "no" });
  await assert.rejects(
    transaction(connection, () => savepoint(connection, work)),
    { message: "no" },
  );
});

test("tells both faults when it cannot roll back, and begins afresh once it can", async (t) => {
  const { connection, broken, add, numbers } = await table(t);
  broken.add("rollback");
  await assert.rejects(
    transaction(
      connection,
      failing(() => add(1)),
    ),
    (thrown) => {
      assert.ok(thrown instanceof AggregateError);
      assert.deepEqual(thrown.errors.map(String), [
        "Error: no",
        "Error: disk I/O error in rollback",
      ]);
      return true;
    },
  );
  broken.clear();
  await transaction(connection, () => add(2));
  assert.deepEqual(await numbers(), [2]);
});
