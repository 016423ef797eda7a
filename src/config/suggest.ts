/** The known word that was probably meant; undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const reach = Math.max(1, Math.floor(word.length / 3));
  const [best] = known
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .filter(({ edits }) => edits <= reach)
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/** How many characters must be added, dropped, replaced or swapped with their neighbour; case counts for nothing. */
function editsBetween(from: string, to: string): number {
  const a = from.toLowerCase();
  const b = to.toLowerCase();
  let older: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++)
      current.push(cell(a, b, row, column, { older, previous, current }));
    older = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

interface Rows {
  readonly older: readonly number[];
  readonly previous: readonly number[];
  readonly current: readonly number[];
}

function cell(a: string, b: string, row: number, column: number, rows: Rows): number {
  const same = a[row - 1] === b[column - 1];
  const at = (values: readonly number[], index: number) => values[index] ?? Infinity;
  const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
  return Math.min(
    at(rows.previous, column) + 1,
    at(rows.current, column - 1) + 1,
    at(rows.previous, column - 1) + (same ? 0 : 1),
    row > 1 && column > 1 && swapped ? at(rows.older, column - 2) + 1 : Infinity,
  );
}
