import { z } from "zod";
import type { HttpConfig } from "../../handlers/http/config.ts";
import { headerName, mapping, text } from "../fields.ts";
import { duration, positiveDuration, size, webUrl } from "../units.ts";

const full = mapping({
  url: webUrl,
  headers: z.record(headerName, text, { error: "expected a mapping" }).exactOptional(),
  cancelUrl: webUrl.exactOptional(),
  connectTimeout: positiveDuration.exactOptional(),
  headTimeout: duration.exactOptional(),
  idleTimeout: duration.exactOptional(),
  timeout: duration.exactOptional(),
  maxAnswer: size.exactOptional(),
  maxEvent: size.exactOptional(),
});

export const httpSchema = z
  .union([webUrl, full], { error: "expected an http or https URL, or a mapping with url" })
  .transform((value): HttpConfig =>
    typeof value === "string" ? { kind: "http", url: value } : { kind: "http", ...value },
  );
