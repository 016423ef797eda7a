import { outboxContract } from "../contracts/outbox.ts";
import { MemoryOutbox } from "./support/outbox.ts";
import { configOf } from "./support/parts.ts";

outboxContract("The outbox of tests", (now) => {
  const outbox = new MemoryOutbox(now);
  const newest = new Map<string, number>();
  return Promise.resolve({
    outbox,
    tell(taskId, count = 1) {
      const before = newest.get(taskId) ?? 0;
      newest.set(taskId, before + count);
      const generations = Array.from({ length: count }, (_, place) => before + place + 1);
      outbox.write(configOf("https://example.com/hook", { taskId, id: "hook" }), ...generations);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
});
