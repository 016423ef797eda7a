/** A card that is configured, for an agent that publishes none. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { JsonObject } from "../../../protocol/json.ts";
import type { FoundCard } from "./found-card.ts";
import { whyUnreadable } from "../../../text-file.ts";

/** Throws an Error for a file that holds no JSON. */
export async function configuredCard(
  card: string | JsonObject,
  { baseDir, now }: { readonly baseDir: string; now(): number },
): Promise<FoundCard> {
  const json = typeof card === "string" ? await jsonIn(resolve(baseDir, card)) : card;
  return { json, fetchedAt: now() };
}

async function jsonIn(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new Error(whyUnreadable(cause), { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error("expected a card in JSON", { cause });
  }
}
