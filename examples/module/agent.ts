/** An agent for the gateway's module handler: an async generator of events. It needs nothing from the gateway. */

interface Part {
  readonly text?: string;
}

interface Turn {
  readonly message: { readonly parts: readonly Part[] };
  readonly signal: AbortSignal;
}

export async function* handle({ message, signal }: Turn) {
  const words = wordsOf(message.parts);
  if (words.length === 0) {
    yield { status: { state: "input-required", message: "Which text?" } };
    return;
  }
  yield { status: "working" };

  // Texts are pieces of one artifact, which grows as they come.
  yield `${words.length} words\n`;
  for (const [word, count] of countsOf(words).slice(0, 3)) {
    if (signal.aborted) return;
    yield `${count} x ${word}\n`;
  }
  yield { artifact: { name: "counts", parts: [{ data: Object.fromEntries(countsOf(words)) }] } };
}

function wordsOf(parts: readonly Part[]): readonly string[] {
  const text = parts.map((part) => part.text ?? "").join(" ");
  return text.toLowerCase().match(/[\p{Letter}\p{Number}']+/gu) ?? [];
}

function countsOf(words: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
