/** What the figures are to reach. `above`: the measured value must be at least so large, `below`: at most. */

export interface Goal {
  readonly sense: "above" | "below";
  readonly must?: number;
  readonly aim: number;
}

export type Verdict = "aim" | "must" | "MISS";

const above = (must: number, aim: number): Goal => ({ sense: "above", must, aim });
const below = (must: number, aim: number): Goal => ({ sense: "below", must, aim });

export const GOALS = {
  "send jsonrpc": above(11, 15),
  "send rest": above(11, 15),
  "send grpc": above(7, 8.5),
  "memory jsonrpc": above(2.5, 4),
  "memory rest": above(2.5, 4),
  "memory grpc": above(2.5, 4),
  "stream jsonrpc": above(7.5, 9),
  "stream rest": above(7.5, 9),
  "stream grpc": above(6, 7),
  "get jsonrpc": above(9, 12),
  "get rest": above(9, 12),
  "get grpc": above(3.5, 4.6),
  "list jsonrpc": above(45, 55),
  "list rest": above(45, 55),
  "list grpc": above(30, 40),
  "listdeep jsonrpc": above(45, 55),
  "listdeep rest": above(45, 55),
  "listdeep grpc": above(30, 40),
  p99: below(0.15, 0.09),
  versions: below(1.15, 1.05),
  "get with access jsonrpc": above(0.85, 0.93),
  "get with access rest": above(0.85, 0.93),
  "get with access grpc": above(0.85, 0.93),
  "send with access jsonrpc": above(0.85, 0.95),
  "send with access rest": above(0.85, 0.95),
  "send with access grpc": above(0.85, 0.95),
  growth: below(1.3, 1.1),
  chunks: below(1.2, 1),
  "idle sse": below(13, 11),
  "idle grpc": below(9, 7.5),
  "proxy added": below(2.5, 1.5),
  "proxy kept": above(0.5, 0.7),
  "send with webhooks jsonrpc": above(0.6, 0.7),
  "relay rate": above(50_000, 75_000),
  "relay memory": below(1.15, 1.05),
  "fan-out": { sense: "above", aim: 2 },
} as const satisfies Readonly<Record<string, Goal>>;

export type GoalName = keyof typeof GOALS;

export function isGoalName(name: string): name is GoalName {
  return name in GOALS;
}

export function verdictOf({ sense, must, aim }: Goal, value: number): Verdict {
  const reaches = (goal: number) => (sense === "above" ? value >= goal : value <= goal);
  if (reaches(aim)) return "aim";
  return must === undefined || reaches(must) ? "must" : "MISS";
}
