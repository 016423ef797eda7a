/** Rows for people, in columns that line up. */

/** A cell is harmless to a terminal already; an empty one shows as a dash, so that columns can be counted. */
export interface Column<T = unknown> {
  readonly title: string;
  readonly cell: (row: T) => string;
}

const GAP = "  ";

/** The titles and a line for each row; without rows there is only the word `none`. */
export function tableLines<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
): readonly string[] {
  if (rows.length === 0) return ["none"];
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => cell(row) || "-")),
  ];
  const widths = columns.map((_, index) =>
    lines.reduce((most, line) => Math.max(most, widthOf(line[index])), 0),
  );
  return lines.map((line) =>
    line
      .map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - widthOf(cell)))
      .join(GAP)
      .trimEnd(),
  );
}

function widthOf(cell = ""): number {
  return Array.from(cell).length;
}
