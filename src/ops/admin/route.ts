/** One route of the Admin API: how it is described, and what it does. The router and the description are made of it. */
import type { Subject } from "../../core/ports/audit.ts";
import type { JsonObject } from "../../protocol/json.ts";
import {
  pathValuesOf,
  queryValuesOf,
  type Body,
  type PathValuesOf,
  type ValuesOf,
} from "./input.ts";
import type { Parameters } from "./parameter.ts";
import type { Schema } from "./schema.ts";

export interface Answer<A> {
  readonly status: SuccessStatus;
  /** Undefined for no body. */
  readonly body: A;
}

export type SuccessStatus = 200 | 201 | 204;

export interface RouteSpec<P extends Parameters, Q extends Parameters, B, A> {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** From the root, with its parameters in braces, as OpenAPI writes it. */
  readonly path: string;
  /** Unique: names it in the description and in the log. */
  readonly operation: string;
  readonly summary: string;
  /** Those that the path names. */
  readonly segments?: P;
  readonly query?: Q;
  /** Every route that changes something has one, all others none. */
  readonly body?: Body<B>;
  readonly answer: Schema<A>;
  /** What each status means. */
  readonly statuses: Readonly<Partial<Record<SuccessStatus, string>>>;
  /** What a caller must expect beside the failures that each route has. */
  readonly failures?: readonly (404 | 409 | 410)[];
  /** What a change is about, for those who look up later who made it. */
  about?(change: Change<A>): Subject;
  run(input: {
    readonly path: PathValuesOf<P>;
    readonly query: ValuesOf<Q>;
    readonly body: B;
  }): Promise<Answer<A>>;
}

/** A request as it came: the segments that the path's parameters stand for, decoded, and the query without its mark. */
export interface Given {
  readonly segments: Readonly<Record<string, string>>;
  readonly query: string;
  readonly body: unknown;
}

/** A change as it was asked for, well or not, and its answer, where there was one. */
export interface Change<A> extends Pick<Given, "segments" | "body"> {
  readonly answer: A | undefined;
}

export interface Route extends Pick<
  RouteSpec<Parameters, Parameters, unknown, unknown>,
  "method" | "path" | "operation" | "summary" | "statuses"
> {
  readonly segments: Parameters;
  readonly query: Parameters;
  readonly body: { readonly json: JsonObject; readonly isRequired: boolean } | undefined;
  readonly answer: Schema<unknown>;
  readonly failures: readonly number[];
  about(change: Change<unknown>): Subject;
  /** Throws INVALID_PARAMS for what does not fit the description, and what its ports throw. */
  run(given: Given): Promise<Answer<unknown>>;
}

type None = Readonly<Record<never, never>>;

export function route<A, P extends Parameters = None, Q extends Parameters = None, B = undefined>(
  spec: RouteSpec<P, Q, B, A>,
): Route {
  const { segments = {} as P, query = {} as Q, body } = spec;
  return {
    method: spec.method,
    path: spec.path,
    operation: spec.operation,
    summary: spec.summary,
    segments,
    query,
    body,
    answer: spec.answer,
    statuses: spec.statuses,
    failures: spec.failures ?? [],
    about: (change) => spec.about?.(change as Change<A>) ?? {},
    async run(given) {
      return spec.run({
        path: pathValuesOf(segments, given.segments),
        query: queryValuesOf(query, given.query),
        body: body?.read(given.body) as B,
      });
    },
  };
}

export function ok<A>(body: A): Answer<A> {
  return { status: 200, body };
}
