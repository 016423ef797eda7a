/** Reads tasks in packs that are bounded in bytes: whatever is asked for, no more than that is read at a time. */
import type { ListedTask, StoredTask } from "../../core/ports/task-store.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { TaskCache } from "./cache.ts";
import type { Database } from "./database.ts";
import { bytesOfTask, fromPacked, packedTasks } from "./rows.ts";

/** The most bytes of tasks that are read together; a larger task is read on its own. */
export const PACK_BYTES = 8 * 1024 * 1024;

export interface PackedReadParts {
  readonly database: Database;
  readonly cache: TaskCache;
  readonly packBytes: number;
  /** The most bytes of one task that are read. */
  readonly largest: number;
}

export interface PackedReads {
  /** The tasks as far as they are there, whole, in any order, pack by pack. */
  whole(ids: readonly string[]): AsyncIterable<Pack>;
  /** Those that come first, as many as take no more than `maxBytes` together, though at least one. */
  first(ids: readonly string[], limits: PageLimits): Promise<FirstTasks>;
}

export interface Pack {
  /** What was looked for. */
  readonly ids: readonly string[];
  readonly tasks: readonly StoredTask[];
  /** Why none of them could be read. */
  readonly failure?: A2AError;
}

export interface PageLimits {
  readonly artifacts: boolean;
  readonly maxBytes: number;
}

export interface FirstTasks {
  readonly tasks: readonly ListedTask[];
  /** The first of the tasks that were not read; undefined when there is none. */
  readonly cut: string | undefined;
}

interface Sized {
  readonly id: string;
  readonly bytes: number;
}

/** Either the tasks, or, when they were too large to be read together, how large they are. */
type Answer =
  | { readonly kind: "tasks"; readonly tasks: readonly ListedTask[] }
  | { readonly kind: "sizes"; readonly sizes: readonly Sized[] };

export function createPackedReads({
  database,
  cache,
  packBytes,
  largest,
}: PackedReadParts): PackedReads {
  async function read(
    ids: readonly string[],
    { artifacts, maxBytes }: PageLimits,
  ): Promise<Answer> {
    const fill = cache.startFill();
    let tasks: readonly ListedTask[] = [];
    try {
      const values = [JSON.stringify(ids), maxBytes];
      const sql = artifacts ? READ_WHOLE : READ_WITHOUT_ARTIFACTS;
      const [row] = await database.read((reader) => reader.all<PackedRow>(sql, values));
      if (row?.sizes) return { kind: "sizes", sizes: sizesOf(row.sizes) };
      if (row?.packed) tasks = fromPacked(row.packed);
      return { kind: "tasks", tasks };
    } finally {
      fill.end(tasks);
    }
  }

  /** The tasks of which the sizes were seen: they may have grown since, and be too large for one pack now. */
  async function* packs(ids: readonly string[], artifacts: boolean): AsyncGenerator<ListedPack> {
    const maxBytes = ids.length === 1 ? largest : packBytes;
    const answer = await read(ids, { artifacts, maxBytes });
    if (answer.kind === "tasks") yield { ids, tasks: answer.tasks };
    else if (ids.length === 1) yield { ids, tasks: [], failure: tooLarge(ids) };
    else {
      const { sizes } = answer;
      for (const pack of packedUp(sizes, packBytes)) yield* packs(pack, artifacts);
      const there = new Set(sizes.map(({ id }) => id));
      yield { ids: ids.filter((id) => !there.has(id)), tasks: [] };
    }
  }

  return {
    async *whole(ids) {
      for await (const pack of packs(ids, true))
        yield { ...pack, tasks: pack.tasks.filter((task) => task.whole) };
    },
    async first(ids, { artifacts, maxBytes }) {
      const together = Math.min(maxBytes, packBytes);
      const answer = await read(ids, { artifacts, maxBytes: together });
      if (answer.kind === "tasks") return { tasks: answer.tasks, cut: undefined };
      const [fitting = [], [cut] = []] = packedUp(answer.sizes, maxBytes);
      const tasks: ListedTask[] = [];
      for await (const pack of packs(fitting, artifacts)) {
        if (pack.failure !== undefined) throw pack.failure;
        tasks.push(...pack.tasks);
      }
      return { tasks, cut };
    },
  };
}

interface ListedPack extends Omit<Pack, "tasks"> {
  readonly tasks: readonly ListedTask[];
}

/** Runs of ids, in their order, that take no more than so many bytes together; a larger one is alone. */
function packedUp(sizes: readonly Sized[], maxBytes: number): readonly (readonly string[])[] {
  const packs: string[][] = [];
  let room = 0;
  for (const { id, bytes } of sizes) {
    const pack = packs.at(-1);
    if (pack !== undefined && bytes <= room) {
      pack.push(id);
      room -= bytes;
    } else {
      packs.push([id]);
      room = maxBytes - bytes;
    }
  }
  return packs;
}

function tooLarge([id]: readonly string[]): A2AError {
  return new A2AError("TOO_LARGE", `task ${id} is too large to be read`);
}

interface PackedRow {
  /** Null when none of the tasks is there, or they are too large to be read together. */
  readonly packed: string | null;
  /** A JSON array of pairs of id and bytes, in the order in which they were asked for; null unless they are too large. */
  readonly sizes: string | null;
}

/** Looks at the sizes and reads, in one statement: nothing grows in between. */
function readSql(artifacts: boolean): string {
  return `
    with sized as materialized (
      select t.id, ${bytesOfTask(artifacts)} as bytes
      from json_each(?1) j cross join tasks t on t.id = j.value order by j.key),
    fit as materialized (select coalesce(sum(bytes), 0) <= ?2 as together from sized)
    select
      case when together then (
        select ${packedTasks(artifacts)} from tasks t where t.id in (select id from sized)) end as packed,
      case when not together then (
        select json_group_array(json_array(id, bytes)) from sized) end as sizes
    from fit`;
}

const READ_WHOLE = readSql(true);
const READ_WITHOUT_ARTIFACTS = readSql(false);

function sizesOf(text: string): readonly Sized[] {
  const pairs: readonly [id: string, bytes: number][] = JSON.parse(text);
  return pairs.map(([id, bytes]) => ({ id, bytes }));
}
