/** Runs of members without the braces around them, as objects and back. */
import type { Fragment } from "../../protocol/ready-made.ts";

export function parsed<T>({ members }: Fragment): T {
  return JSON.parse(`{${members}}`) as T;
}

export function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
