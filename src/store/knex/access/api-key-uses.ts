/** When API keys were used last. Many calls come with keys, and none of them waits for a write: now and then all are written at once. */
import type { Log } from "../../../core/ports/log.ts";
import type { Database } from "../database.ts";

/** How long a use may stay unwritten, in milliseconds. */
const WRITE_AFTER = 10_000;

const WRITE = `
  update api_keys set last_used_at = max(coalesce(api_keys.last_used_at, 0), noted.at)
  from (select value ->> 0 as id, value ->> 1 as at from json_each(?)) as noted
  where api_keys.id = noted.id`;

export class ApiKeyUses {
  readonly #database: Database;
  readonly #log: Log;
  readonly #unwritten = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
  }

  note(id: string, at: number): void {
    this.#unwritten.set(id, at);
    if (this.#isClosed) return;
    // It keeps no process alive: closing writes too.
    this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER).unref();
  }

  /** The last use of a key as far as it is not written yet. */
  unwrittenOf(id: string): number | undefined {
    return this.#unwritten.get(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#write();
  }

  /** What cannot be written stays noted, for the next time. */
  async #write(): Promise<void> {
    this.#timer = undefined;
    const written = [...this.#unwritten];
    if (written.length === 0) return;
    try {
      const values = [JSON.stringify(written)];
      await this.#database.write((writer) => writer.run(WRITE, values));
      for (const [id, at] of written)
        if (this.#unwritten.get(id) === at) this.#unwritten.delete(id);
    } catch (err) {
      this.#log.warn({ apiKeys: written.length, err }, "uses of api keys not written");
    }
  }
}
