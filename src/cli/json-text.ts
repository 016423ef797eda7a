/** JSON that every reader understands alike (RFC 7493): what two could read differently must not be signed or verified. */

/** Beyond, readers differ in what they take. */
const DEEPEST = 100;

/** Strings before the rest, so that nothing in them is taken for a mark; literals say nothing. */
const TOKENS = /"(?:[^"\\]+|\\.)*"|[{}[\]:,]|-?\d[\d.eE+-]*/g;

/** Throws an Error that says what is wrong: no JSON, a name twice, a number or a text that has no value, too deep. */
export function strictJsonOf(text: string): unknown {
  const json = parsed(text);
  const open: (Set<string> | undefined)[] = [];
  let atName = false;
  for (const [token] of text.matchAll(TOKENS))
    switch (token.charAt(0)) {
      case "{":
      case "[":
        if (open.length === DEEPEST) throw new Error(`nested deeper than ${DEEPEST} levels`);
        open.push(token === "{" ? new Set() : undefined);
        atName = token === "{";
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ":":
        atName = false;
        break;
      case ",":
        atName = true;
        break;
      case '"':
        checkText(token, atName ? open.at(-1) : undefined);
        break;
      default:
        if (!Number.isFinite(Number(token))) throw new Error(`${token} is no finite number`);
    }
  return json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("not JSON", { cause });
  }
}

/** `names` are those of the object so far, when the text is a name in it. */
function checkText(token: string, names: Set<string> | undefined): void {
  const text = String(JSON.parse(token));
  if (LONE_SURROGATE.test(text)) throw new Error(`${shown(text)} has half a character`);
  if (names?.has(text)) throw new Error(`the name ${shown(text)} stands twice in one object`);
  names?.add(text);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
