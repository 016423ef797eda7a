/** The data of each event of a text/event-stream, as the WHATWG standard reads it. */
import { RemoteError } from "./remote-error.ts";

const LONGEST_EVENT = 16 * 1024 * 1024;

export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  let data: string[] = [];
  let length = 0;
  for await (const line of readLines(bytes)) {
    if (line === "") {
      if (data.length > 0) yield data.join("\n");
      data = [];
      length = 0;
      continue;
    }
    const value = dataOf(line);
    if (value === undefined) continue;
    length += value.length;
    if (length > LONGEST_EVENT) throw new RemoteError("an event of the stream is too long");
    data.push(value);
  }
}

/** Comments, ids, names and retry times are of no use here. */
function dataOf(line: string): string | undefined {
  if (line === "data") return "";
  if (!line.startsWith("data:")) return undefined;
  return line.startsWith("data: ") ? line.slice(6) : line.slice(5);
}

/** Lines end in LF, CR LF or CR; what follows the last line end is incomplete and dropped. */
async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder("utf-8");
  let rest = "";
  let afterReturn = false;
  for await (const chunk of bytes) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    const last = lines.pop() ?? "";
    for (const line of lines) {
      yield rest + line;
      rest = "";
    }
    rest += last;
    if (rest.length > LONGEST_EVENT) throw new RemoteError("a line of the stream is too long");
  }
}
