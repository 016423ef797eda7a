/** Regular expressions whose authors trust what they search for, on texts that anybody sends. */
import { createContext, Script, type Context } from "node:vm";

/** An expression that goes back over a text again and again holds up everybody else for so long, in milliseconds. */
const MAX_MS = 100;

/** What may make an expression go back. One that has none of these is as fast as its text is long. */
const QUANTIFIER = /[*+?{]/;

/** As `RegExp.prototype.exec`; undefined where that takes too long. */
export function boundedExec(regex: RegExp, text: string): RegExpExecArray | null | undefined {
  if (!QUANTIFIER.test(regex.source)) return regex.exec(text);
  let found: RegExpExecArray | null = null;
  watched.run = () => {
    found = regex.exec(text);
  };
  try {
    context ??= createContext(watched);
    RUN.runInContext(context, { timeout: MAX_MS });
    return found;
  } catch (thrown) {
    if (isTimeout(thrown)) return undefined;
    throw thrown;
  }
}

/** Nothing else of Node can end an expression that is under way. */
const RUN = new Script("run()");
const watched = { run: (): void => undefined };
/** Made for the first such expression: most gateways have none. */
let context: Context | undefined;

function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === "object" &&
    thrown !== null &&
    "code" in thrown &&
    thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
