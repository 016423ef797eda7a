/** Where it is written down who did what. */
import { z } from "zod";
import { OPERATION_WORDS } from "../access/policy/operations.ts";
import { filledText, mapping, oneOf } from "./fields.ts";
import { some } from "./some.ts";

/** What is no file. */
const STREAMS: readonly string[] = ["stdout", "stderr"];

export const audit = mapping({
  file: filledText,
  operations: some(oneOf(OPERATION_WORDS)).prefault(["*"]),
  decisions: some(oneOf(["allowed", "denied", "failed"])).prefault(["allowed", "denied", "failed"]),
  onFailure: oneOf(["continue", "refuse"]).prefault("continue"),
}).check(
  // What becomes of lines on a stream is not known here.
  z.refine(({ file, onFailure }) => onFailure === "continue" || !STREAMS.includes(file), {
    path: ["onFailure"],
    error: "expected refuse only where file is a file",
  }),
);

/** Checked. */
export type AuditConfig = z.output<typeof audit>;
