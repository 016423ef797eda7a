/** The table of results: one line per row as soon as it is known. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { GOALS, isGoalName, verdictOf, type Goal, type GoalName } from "./goals.ts";

export interface Row {
  readonly name: string;
  /** The figure that is held against the goal. */
  readonly value: number;
  /** Undefined: the row is told for what other rows are made from. */
  readonly goal?: GoalName;
  /** What it was made from. */
  readonly detail: string;
}

const WIDTHS = [38, 9, 8, 8, 8] as const;

export class Report {
  readonly #rows: Row[] = [];
  #skipped = 0;

  head(title: string): void {
    console.log(`\n# ${title}`);
    console.log(line(["row", "value", "must", "aim", "reached"], ""));
  }

  add(row: Row): void {
    this.#rows.push(row);
    console.log(line([row.name, row.value.toFixed(2), ...marksOf(row)], row.detail));
  }

  /** A row that cannot be measured here. */
  skip(name: string, why: string): void {
    this.#skipped++;
    console.log(line([name], `skipped: ${why}`));
  }

  /** The closing lines; the names of the rows that miss what they must reach. */
  close(file: string | undefined): readonly string[] {
    const missed = this.#rows.filter(
      ({ goal, value }) => goal !== undefined && verdictOf(GOALS[goal], value) === "MISS",
    );
    if (file !== undefined) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(
        file,
        JSON.stringify({ at: new Date().toISOString(), rows: this.#rows }, null, 1),
      );
    }
    const skipped = this.#skipped > 0 ? `, ${this.#skipped} skipped` : "";
    console.log(
      `\n${this.#rows.length} rows, ${missed.length} below what they must reach${skipped}`,
    );
    return missed.map(({ name }) => name);
  }
}

/** The goal of a row of that operation on that binding. */
export function goalOf(operation: string, binding: string): GoalName {
  const name = `${operation} ${binding}`;
  if (!isGoalName(name)) throw new Error(`no goal ${name}`);
  return name;
}

/** What the row must reach, what it aims at, and which of it it has reached. */
function marksOf({ goal: name, value }: Row): readonly string[] {
  if (name === undefined) return ["", "", ""];
  const goal: Goal = GOALS[name];
  const sign = goal.sense === "above" ? ">=" : "<=";
  const must = goal.must === undefined ? "" : `${sign}${goal.must}`;
  return [must, `${sign}${goal.aim}`, verdictOf(goal, value)];
}

function line(cells: readonly string[], detail: string): string {
  return [...cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)), detail]
    .join(" ")
    .trimEnd();
}
