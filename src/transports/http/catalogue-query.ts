/** What a caller asks of the catalogue, in the query of its address. */
import { AGENT_ID } from "../../protocol/agent-id.ts";

export interface CatalogueQuery {
  readonly filter: {
    /** The id or the name of a skill. */
    readonly skill: string | undefined;
    readonly tags: readonly string[];
    readonly words: readonly string[];
  };
  /** From 1 to 100. */
  readonly pageSize: number;
  /** The last agent of the page before. */
  readonly after: string | undefined;
}

export interface QueryProblem {
  /** The parameter, as the caller spelled it. */
  readonly field: string;
  readonly description: string;
}

export interface AskedQuery {
  readonly query: CatalogueQuery;
  /** Everything that is wrong with it; with any, `query` is not to be used. */
  readonly problems: readonly QueryProblem[];
}

/** The defaults for what is not asked for; a parameter without a value counts as absent, as forms send it. */
export function catalogueQueryOf(text: string): AskedQuery {
  const problems: QueryProblem[] = [];
  const given = new Map<string, string[]>();
  for (const [name, value] of text === "" ? [] : new URLSearchParams(text)) {
    if (name.toLowerCase() === VERSION) continue;
    if (!KNOWN.has(name)) problems.push({ field: name, description: UNKNOWN });
    else if (value.trim() !== "") given.set(name, [...(given.get(name) ?? []), value]);
  }
  for (const [field, values] of given) {
    const problem = problemOf(field, values);
    if (problem !== undefined) problems.push({ field, description: problem });
  }
  const { skill, tag, q, pageSize, pageToken } = Object.fromEntries(given);
  const query = {
    filter: {
      skill: skill?.[0]?.trim(),
      tags: tag?.map((each) => each.trim()) ?? [],
      words: q?.[0]?.split(/\s+/).filter((word) => word !== "") ?? [],
    },
    pageSize: Number(pageSize?.[0] ?? PAGE_SIZE),
    after: pageToken?.[0],
  };
  return { query, problems };
}

const KNOWN: ReadonlySet<string> = new Set(["skill", "tag", "q", "pageSize", "pageToken"]);
/** Read with every request (spec 3.6.1), its name in any letters. */
const VERSION = "a2a-version";
const UNKNOWN = `unknown parameter, expected one of ${[...KNOWN].join(", ")}`;

const PAGE_SIZE = 50;
const MOST_PER_PAGE = 100;
/** Every agent is searched for every word and tag. */
const LONGEST = 200;
const MOST_TAGS = 20;

function problemOf(field: string, values: readonly string[]): string | undefined {
  const [value = ""] = values;
  if (field === "tag" && values.length > MOST_TAGS) return `is given more than ${MOST_TAGS} times`;
  if (field !== "tag" && values.length > 1) return "is given more than once";
  if (values.some(({ length }) => length > LONGEST)) return `is longer than ${LONGEST} characters`;
  if (field === "pageSize" && !(/^\d{1,3}$/.test(value) && isPageSize(Number(value))))
    return `expected a number from 1 to ${MOST_PER_PAGE}, got ${JSON.stringify(value)}`;
  if (field === "pageToken" && !AGENT_ID.test(value)) return "is not a token of an earlier answer";
  return undefined;
}

function isPageSize(size: number): boolean {
  return size >= 1 && size <= MOST_PER_PAGE;
}
