import { z } from "zod";
import type { HttpConfig } from "../../handlers/http/config.ts";
import { headerName, mapping, text } from "../fields.ts";
import { calledUrl } from "../addresses.ts";
import { duration, positiveDuration, size } from "../units.ts";

const full = mapping({
  url: calledUrl,
  headers: z.record(headerName, text, { error: "expected a mapping" }).exactOptional(),
  cancelUrl: calledUrl.exactOptional(),
  connectTimeout: positiveDuration.exactOptional(),
  headTimeout: duration.exactOptional(),
  idleTimeout: duration.exactOptional(),
  timeout: duration.exactOptional(),
  maxAnswer: size.exactOptional(),
  maxEvent: size.exactOptional(),
});

export const httpSchema = z
  .union([calledUrl, full], { error: "expected an http or https URL, or a mapping with url" })
  .transform((value): HttpConfig =>
    typeof value === "string" ? { kind: "http", url: value } : { kind: "http", ...value },
  );
