/**
 * Programs run in process groups of their own, which the system leaves alone when the gateway ends. However it ends
 * on its own account, in order, in a hurry or by a fault, what still runs then is killed first.
 */
const groups = new Set<number>();

/** Kills the group when this process exits; the answer takes that back. */
export function killAtExit(group: number): () => void {
  if (groups.size === 0) process.on("exit", killAll);
  groups.add(group);
  return () => {
    groups.delete(group);
    if (groups.size === 0) process.off("exit", killAll);
  };
}

function killAll(): void {
  for (const group of groups) {
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }
}
