/** The many forms in which agents write an error as JSON. */
import { detailsIn, type SaidDetails } from "./client-error-details.ts";
import { isObject } from "./schema/objects.ts";

/** What an agent says about an error; what it does not say is undefined. */
export interface Said {
  readonly code: number | undefined;
  /** The name of the error's type. */
  readonly name: string | undefined;
  /** The name of a status of gRPC. */
  readonly status: string | undefined;
  readonly message: string | undefined;
  readonly details: SaidDetails;
}

/**
 * Of `{"error": {…}}` (1.0), the error itself (0.3), `{"detail": …}` (FastAPI), a problem of RFC 9457, or anything else.
 * The message is never a document of HTML.
 */
export function saidIn(body: unknown): Said {
  const outer = isObject(body) ? body : {};
  const error = isObject(outer["error"]) ? outer["error"] : outer;
  const { code, type, status, message, details, data, detail, title } = error;
  return {
    code: typeof code === "number" ? code : undefined,
    name: textOf(type) ?? textOf(error["error"]),
    status: textOf(status),
    message:
      textOf(message) ??
      textOf(detail) ??
      fieldText(detail) ??
      textOf(title) ??
      textOf(outer["error"]),
    details: detailsIn(details ?? data),
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return /^\s*<(?:!doctype|html|\?xml)\b/i.test(value) ? undefined : value;
}

/** FastAPI's list of what is wrong with a request. */
function fieldText(detail: unknown): string | undefined {
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined;
  return isObject(first) ? textOf(first["msg"]) : undefined;
}
