/** The parameters of routes: how each kind is described, and how its text becomes a value. */
import { AGENT_ID } from "../../protocol/agent-id.ts";
import { shortStateName, TASK_STATES, type TaskState } from "../../protocol/states.ts";
import type { JsonObject } from "../../protocol/json.ts";

export interface Parameter<T> {
  readonly description: string;
  /** The JSON Schema of its text, or of its value in a body. */
  readonly json: JsonObject & { readonly type: "string" | "integer" };
  read(text: string): Read<T>;
}

/** What was read, or why it cannot be: words that follow the parameter's name. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export function textParameter(description: string): Parameter<string> {
  return {
    description,
    json: { type: "string", minLength: 1, maxLength: MAX_TEXT },
    read: (text) =>
      text.length >= 1 && text.length <= MAX_TEXT
        ? { value: text }
        : { problem: `must have 1 to ${MAX_TEXT} characters` },
  };
}

/** A text that may be empty. */
export function anyTextParameter(description: string): Parameter<string> {
  return {
    description,
    json: { type: "string", maxLength: MAX_TEXT },
    read: (text) =>
      text.length <= MAX_TEXT
        ? { value: text }
        : { problem: `must have at most ${MAX_TEXT} characters` },
  };
}

const MAX_TEXT = 1024;

export function agentParameter(description: string): Parameter<string> {
  return {
    description,
    json: { type: "string", pattern: AGENT_ID.source },
    read: (text) =>
      AGENT_ID.test(text)
        ? { value: text }
        : { problem: "must be 1 to 63 of a-z, 0-9 and -, the first one no -" },
  };
}

export function integerParameter(
  description: string,
  { min, max = Number.MAX_SAFE_INTEGER, preset }: IntegerRange,
): Parameter<number> {
  return {
    description,
    json: {
      type: "integer",
      minimum: min,
      maximum: max,
      ...(preset !== undefined && { default: preset }),
    },
    read(text) {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max
        ? { value }
        : { problem: `must be a whole number from ${min} to ${max}` };
    },
  };
}

interface IntegerRange {
  readonly min: number;
  readonly max?: number;
  /** What counts when it is absent. */
  readonly preset?: number;
}

export function choiceParameter<const T extends string>(
  description: string,
  choices: readonly T[],
): Parameter<T> {
  return {
    description,
    json: { type: "string", enum: choices },
    read(text) {
      const value = choices.find((choice) => choice === text);
      return value === undefined ? { problem: `must be one of ${choices.join(", ")}` } : { value };
    },
  };
}

const STATES = TASK_STATES.filter((state) => state !== "TASK_STATE_UNSPECIFIED");

/** A state by its name in 1.0, or by the short name of 0.3 (`input-required`). */
export const stateParameter: Parameter<TaskState> = {
  description: "the state, such as TASK_STATE_WORKING or working",
  json: { type: "string", enum: [...STATES, ...STATES.map(shortStateName)] },
  read(text) {
    const value = STATES.find((state) => state === text || shortStateName(state) === text);
    return value === undefined
      ? { problem: `must be one of ${STATES.map(shortStateName).join(", ")}` }
      : { value };
  },
};

/** An instant in ISO 8601, with its offset; its value is in milliseconds since the epoch. */
export function instantParameter(description: string): Parameter<number> {
  return {
    description,
    json: { type: "string", format: "date-time" },
    read(text) {
      const value = INSTANT.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
      return Number.isNaN(value)
        ? { problem: "must be an instant such as 2026-01-31T12:00:00Z" }
        : { value };
    },
  };
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** `Date` takes the 30th of February for a day in March. */
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
