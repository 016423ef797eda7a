import type { z } from "zod";
import { listOf } from "./fields.ts";

/** A list that says something: an empty one would be about nothing. */
export function some<T extends z.ZodType>(element: T) {
  return listOf(element).min(1, { error: "expected a list that is not empty" });
}
