/** Secrets that a command is given: from a pipe, or typed where nobody sees them. */
import { createInterface } from "node:readline";
import { Writable, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { CommandError } from "./exit.ts";

/**
 * What stands on standard input, without the end of its line; from a terminal, one line that is not shown, typed twice.
 * Throws a CommandError where nothing comes, and where the two differ. `what` says what to type.
 */
export async function secretInput(what: string): Promise<string> {
  const { stdin, stderr } = process;
  const secret = stdin.isTTY
    ? await typedSecret(what, stdin, stderr)
    : (await text(stdin)).replace(/\r?\n$/, "");
  if (secret === "") throw new CommandError(`expected a ${what} on standard input`);
  return secret;
}

/** Throws a CommandError where the input ends before, or is interrupted. */
export async function typedSecret(
  what: string,
  input: Readable,
  output: NodeJS.WritableStream,
): Promise<string> {
  // The lines are edited as on any terminal, and nothing of them is shown or remembered.
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: hidden, terminal: true, historySize: 0 });
  const typed = lines[Symbol.asyncIterator]();
  const next = async (prompt: string): Promise<string> => {
    output.write(prompt);
    const { value, done } = await typed.next();
    output.write("\n");
    if (done) throw new CommandError(`no ${what} was typed`);
    return value;
  };
  try {
    const first = await next(`${what}: `);
    if ((await next("again: ")) !== first) throw new CommandError(`the two ${what}s differ`);
    return first;
  } finally {
    lines.close();
  }
}
