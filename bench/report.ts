/** The table of results: one line per row as soon as it is known. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { GOALS, isGoalName, verdictOf, type Goal, type GoalName } from "./goals.ts";

export interface Row {
  readonly name: string;
  /** The figure that is held against the goal. */
  readonly value: number;
  readonly goal: GoalName;
  /** What it was made from. */
  readonly detail: string;
}

const WIDTHS = [34, 9, 8, 8, 8] as const;

export class Report {
  readonly #rows: Row[] = [];

  head(title: string): void {
    console.log(`\n# ${title}`);
    console.log(line(["row", "value", "must", "aim", "reached"], ""));
  }

  add(row: Row): void {
    this.#rows.push(row);
    const goal: Goal = GOALS[row.goal];
    const sign = goal.sense === "above" ? ">=" : "<=";
    const cells = [
      row.name,
      row.value.toFixed(2),
      goal.must === undefined ? "" : `${sign}${goal.must}`,
      `${sign}${goal.aim}`,
      verdictOf(goal, row.value),
    ];
    console.log(line(cells, row.detail));
  }

  /** The closing lines; the names of the rows that miss what they must reach. */
  close(file: string | undefined): readonly string[] {
    const missed = this.#rows.filter(({ goal, value }) => verdictOf(GOALS[goal], value) === "MISS");
    if (file !== undefined) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(
        file,
        JSON.stringify({ at: new Date().toISOString(), rows: this.#rows }, null, 1),
      );
    }
    console.log(`\n${this.#rows.length} rows, ${missed.length} below what they must reach`);
    return missed.map(({ name }) => name);
  }
}

/** The goal of a row of that operation on that binding. */
export function goalOf(operation: string, binding: string): GoalName {
  const name = `${operation} ${binding}`;
  if (!isGoalName(name)) throw new Error(`no goal ${name}`);
  return name;
}

function line(cells: readonly string[], detail: string): string {
  return [...cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)), detail]
    .join(" ")
    .trimEnd();
}
