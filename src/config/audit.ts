/** Where it is written down who did what. */
import { z } from "zod";
import { OPERATION_WORDS } from "../access/policy/operations.ts";
import { filledText, mapping, oneOf } from "./fields.ts";
import { some } from "./some.ts";

/** Whether a name stands for a stream of the process, and for no file. */
export function isStream(file: string): boolean {
  return file === "stdout" || file === "stderr";
}

export const audit = mapping({
  file: filledText,
  operations: some(oneOf(OPERATION_WORDS)).prefault(["*"]),
  decisions: some(oneOf(["allowed", "denied", "failed"])).prefault(["allowed", "denied", "failed"]),
  onFailure: oneOf(["continue", "refuse"]).prefault("continue"),
}).check(
  // What becomes of lines on a stream is not known here.
  z.refine(({ file, onFailure }) => onFailure === "continue" || !isStream(file), {
    path: ["onFailure"],
    error: "expected refuse only where file is a file",
  }),
);

/** Checked. */
export type AuditConfig = z.output<typeof audit>;
