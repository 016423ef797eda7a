/** A real store of which a test replaces some methods, to bring about what a real one does only now and then. */
import type { TaskStore } from "../../src/core/ports/task-store.ts";

export function wrapped(store: TaskStore, replaced: Partial<TaskStore>): TaskStore {
  return {
    commit: store.commit.bind(store),
    load: store.load.bind(store),
    entriesAfter: store.entriesAfter.bind(store),
    list: store.list.bind(store),
    running: store.running.bind(store),
    findSent: store.findSent.bind(store),
    upstreamsOf: store.upstreamsOf.bind(store),
    purge: store.purge.bind(store),
    ping: store.ping.bind(store),
    close: store.close.bind(store),
    ...replaced,
  };
}
