/** Parts of a kind that nobody knows come out of a lenient decoder without content: they could not be passed on. */
import { invalidParams } from "../protocol/errors.ts";
import { isObject } from "./schema/objects.ts";

/** Throws INVALID_PARAMS for the first part, anywhere in a decoded answer, that has none of these members. */
export function checkParts(answer: object, contents: readonly string[]): void {
  const path = pathToEmptyPart(answer, contents);
  if (path === undefined) return;
  const description = `must have one of ${contents.join(", ")}`;
  throw invalidParams([{ field: path, description }]);
}

/** Where an answer can hold messages and artifacts, in both versions. */
const OBJECTS = ["task", "statusUpdate", "artifactUpdate", "status", "message", "artifact"];
const LISTS = ["history", "artifacts"];
const PARTS = ["parts", "content"];

/** The path is put together only once there is one: nearly every answer has none. */
function pathToEmptyPart(holder: unknown, contents: readonly string[]): string | undefined {
  if (!isObject(holder)) return undefined;
  for (const name of OBJECTS) {
    const value = holder[name];
    if (value === undefined) continue;
    const found = pathToEmptyPart(value, contents);
    if (found !== undefined) return `${name}.${found}`;
  }
  for (const name of LISTS) {
    const list = listIn(holder, name);
    for (let index = 0; index < list.length; index++) {
      const found = pathToEmptyPart(list[index], contents);
      if (found !== undefined) return `${name}[${index}].${found}`;
    }
  }
  for (const name of PARTS) {
    const index = listIn(holder, name).findIndex((part) => isEmpty(part, contents));
    if (index >= 0) return `${name}[${index}]`;
  }
  return undefined;
}

const NOTHING: readonly unknown[] = [];

function listIn(holder: Record<string, unknown>, name: string): readonly unknown[] {
  const list = holder[name];
  return Array.isArray(list) ? list : NOTHING;
}

function isEmpty(part: unknown, contents: readonly string[]): boolean {
  return isObject(part) && !contents.some((name) => part[name] !== undefined);
}
