/**
 * What is kept of each owner's tasks, where something is limited by it: counted by triggers, so in the transaction of
 * whatever changes it, and known in memory. Without a limit there are no triggers, and nothing costs anything; whether
 * there are tells whether the counts can be trusted.
 */
import type { Log } from "../../core/ports/log.ts";
import { COUNTED_TOGETHER, countedAs, type Usage } from "../../core/ports/usage.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

export interface UsageCounts extends Usage {
  /** Reads again what those owners have. Never throws: what cannot be read is as it was. */
  refresh(connection: Connection, owners: ReadonlySet<string>): Promise<void>;
  /** Reads again what everybody has; never throws either. */
  refreshAll(): Promise<void>;
}

/** Counts from now on, what is there already included. */
export async function openUsage(database: Database, log: Log): Promise<UsageCounts> {
  await database.write((connection) => startCounting(connection, log));
  let counts = await database.read(allCounts);
  return {
    of: (owner) => counts.get(owner) ?? NOTHING,
    async refresh(connection, owners) {
      try {
        const all = JSON.stringify([...new Set([...owners].map(countedAs))]);
        const rows = await connection.all<Row>(ROWS, [all]);
        for (const { owner, tasks, bytes } of rows) counts.set(owner, { tasks, bytes });
      } catch (thrown) {
        log.error({ err: thrown }, "what owners have could not be read");
      }
    },
    async refreshAll() {
      try {
        // Among the writes, so that no commit comes between what is read and what is kept.
        counts = await database.write(allCounts);
      } catch (thrown) {
        log.error({ err: thrown }, "what owners have could not be read");
      }
    },
  };
}

/** What was counted is not kept in step any more. */
export function closeUsage(database: Database): Promise<void> {
  return database.write((connection) =>
    transaction(connection, async () => {
      for (const name of Object.keys(TRIGGERS))
        await connection.exec(`drop trigger if exists ${name}`);
      await connection.exec("delete from task_usage");
    }),
  );
}

const NOTHING = { tasks: 0, bytes: 0 };

interface Row {
  readonly owner: string;
  readonly tasks: number;
  readonly bytes: number;
}

const ROWS = `select v.value as owner, coalesce(u.tasks, 0) as tasks, coalesce(u.bytes, 0) as bytes
  from json_each(?) v left join task_usage u on u.owner = v.value`;

type Counts = Map<string, { readonly tasks: number; readonly bytes: number }>;

async function allCounts(connection: Connection): Promise<Counts> {
  const rows = await connection.all<Row>("select owner, tasks, bytes from task_usage", []);
  return new Map(rows.map(({ owner, tasks, bytes }) => [owner, { tasks, bytes }]));
}

async function startCounting(connection: Connection, log: Log): Promise<void> {
  const names = Object.keys(TRIGGERS);
  const found = await connection.all<{ name: string }>(
    "select name from sqlite_schema where type = 'trigger'",
    [],
  );
  const known = new Set(found.map(({ name }) => name));
  if (names.every((name) => known.has(name))) return;
  log.info({}, "counting what is kept of whose tasks");
  await transaction(connection, async () => {
    for (const name of names) await connection.exec(`drop trigger if exists ${name}`);
    await connection.exec("delete from task_usage");
    await connection.exec(BACK_FILL);
    for (const [name, text] of Object.entries(TRIGGERS))
      await connection.exec(`create trigger ${name} ${text}`);
  });
}

/** As `countedAs`, of a row of tasks. */
const countedIn = (row: string): string =>
  `case when substr(${row}.owner, 1, ${COUNTED_TOGETHER.length}) = '${COUNTED_TOGETHER}'
   then '${COUNTED_TOGETHER}' else ${row}.owner end`;

/** The bytes of a row of tasks. */
const bytesIn = (row: string): string =>
  `octet_length(${row}.history) + octet_length(${row}.artifacts)
   + coalesce(octet_length(${row}.metadata), 0) + coalesce(octet_length(${row}.status_message), 0)`;

/** The bytes of the log of a task. */
const logOf = (id: string): string =>
  `coalesce((select sum(octet_length(e.entries)) from task_events e where e.task_id = ${id}), 0)`;

/** Changes the bytes of the owner of an entry's task, as long as that is there. */
const logChange = (sign: "+" | "-", row: string): string =>
  `update task_usage set bytes = bytes ${sign} octet_length(${row}.entries)
   where owner = (select ${countedIn("t")} from tasks t where t.id = ${row}.task_id);`;

const TRIGGERS: Readonly<Record<string, string>> = {
  usage_task_added: `after insert on tasks for each row begin
    insert into task_usage (owner, tasks, bytes) values (${countedIn("new")}, 1, ${bytesIn("new")})
    on conflict (owner) do update set tasks = tasks + 1, bytes = bytes + excluded.bytes;
    end`,
  usage_task_changed: `after update of history, artifacts, metadata, status_message on tasks for each row begin
    update task_usage set bytes = bytes + ${bytesIn("new")} - (${bytesIn("old")})
    where owner = ${countedIn("new")};
    end`,
  // Before its log goes by cascade, which finds no task any more.
  usage_task_removed: `before delete on tasks for each row begin
    update task_usage set tasks = tasks - 1, bytes = bytes - (${bytesIn("old")}) - ${logOf("old.id")}
    where owner = ${countedIn("old")};
    delete from task_usage where owner = ${countedIn("old")} and tasks = 0;
    end`,
  usage_log_added: `after insert on task_events for each row begin ${logChange("+", "new")} end`,
  usage_log_removed: `after delete on task_events for each row begin ${logChange("-", "old")} end`,
};

const BACK_FILL = `insert into task_usage (owner, tasks, bytes)
  select ${countedIn("t")}, count(*), sum(${bytesIn("t")} + ${logOf("t.id")}) from tasks t group by 1`;
