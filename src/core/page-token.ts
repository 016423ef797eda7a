/** The page token of ListTasks: the position of the last task of a page, so that it works when that task is gone. */
import { invalidParams } from "../protocol/errors.ts";
import type { ListPosition } from "./ports/task-store.ts";

export function pageTokenOf({ timestamp, id }: ListPosition): string {
  return `${timestamp.toString(36)}-${id}`;
}

/** The position; undefined for no token or an empty one. Throws INVALID_PARAMS for one that we did not make. */
export function positionOf(token: string | undefined): ListPosition | undefined {
  if (token === undefined || token === "") return undefined;
  const match = /^([0-9a-z]{1,11})-([0-9a-zA-Z-]{1,64})$/.exec(token);
  const [, timestamp, id] = match ?? [];
  if (timestamp === undefined || id === undefined) {
    const description = "is not a token of an earlier answer";
    throw invalidParams([{ field: "pageToken", description }]);
  }
  return { timestamp: Number.parseInt(timestamp, 36), id };
}
