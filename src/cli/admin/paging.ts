/** Lists that come in pages. */
import { InvalidArgumentError, type Command } from "commander";
import { wordIn } from "./fields.ts";
import type { AdminFlags } from "./options.ts";

export interface PageFlags extends AdminFlags {
  readonly limit?: number;
  readonly pageToken?: string;
}

/** Of a page. */
export const MOST = 200;

export function withPageOptions(command: Command): Command {
  return command
    .option("--limit <count>", `how many at most, up to ${MOST} (default: 50)`, limitOf)
    .option("--page-token <token>", "continue a list");
}

export function pageQuery({ limit, pageToken }: PageFlags) {
  return { pageSize: limit, pageToken };
}

/** How to go on, for a page that is not the last. */
export function moreLines(page: unknown): readonly string[] {
  const token = wordIn(page, "nextPageToken");
  return token === "" ? [] : [`more: --page-token ${token}`];
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError("expected a whole number");
  return Number(value);
}

function limitOf(value: string): number {
  const count = wholeNumber(value);
  if (count < 1 || count > MOST)
    throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST}`);
  return count;
}
