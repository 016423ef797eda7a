import { z } from "zod";
import type { ModuleConfig } from "../../handlers/module/config.ts";
import { filledText, mapping } from "../fields.ts";

const full = mapping({ path: filledText, export: filledText.exactOptional() });

export const moduleSchema = z
  .union([filledText, full], { error: "expected a path, or a mapping with path" })
  .transform((value): ModuleConfig =>
    typeof value === "string" ? { kind: "module", path: value } : { kind: "module", ...value },
  );
