/** The details of google.rpc with an error (spec 9.5, 10.6 and 11.6), whatever is in them. */
import { ERRORS, type ErrorReason, type FieldViolation } from "../protocol/errors.ts";
import { isObject } from "./schema/objects.ts";

export interface SaidDetails {
  readonly reason: ErrorReason | undefined;
  readonly violations: readonly FieldViolation[] | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

export const NO_DETAILS: SaidDetails = {
  reason: undefined,
  violations: undefined,
  retryAfter: undefined,
};

/** The metadata of the agent's ErrorInfo is left out: it speaks of the agent's tasks and versions. */
export function detailsIn(details: unknown): SaidDetails {
  if (!Array.isArray(details)) return NO_DETAILS;
  const list = details.filter(isObject);
  const violations = list.flatMap(violationsIn).slice(0, MOST_VIOLATIONS);
  return {
    reason: first(list, reasonIn),
    violations: violations.length === 0 ? undefined : violations,
    retryAfter: first(list, retryAfterIn),
  };
}

type Detail = Readonly<Record<string, unknown>>;

const MOST_VIOLATIONS = 20;

function first<T>(list: readonly Detail[], read: (detail: Detail) => T | undefined): T | undefined {
  for (const detail of list) {
    const value = read(detail);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Only ErrorInfo has a reason. */
function reasonIn({ reason }: Detail): ErrorReason | undefined {
  return typeof reason === "string" && isReason(reason) ? reason : undefined;
}

function isReason(text: string): text is ErrorReason {
  return Object.hasOwn(ERRORS, text);
}

function violationsIn({ fieldViolations }: Detail): readonly FieldViolation[] {
  if (!Array.isArray(fieldViolations)) return [];
  return fieldViolations
    .filter(isObject)
    .flatMap(({ field, description }) =>
      typeof field === "string" && typeof description === "string"
        ? [{ field: field.slice(0, LONGEST), description: description.slice(0, LONGEST) }]
        : [],
    );
}

const LONGEST = 500;

function retryAfterIn({ retryDelay }: Detail): number | undefined {
  const [, seconds] =
    typeof retryDelay === "string" ? (/^(\d+(?:\.\d+)?)s$/.exec(retryDelay) ?? []) : [];
  return seconds === undefined ? undefined : Number(seconds);
}
