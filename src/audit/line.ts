/** An entry of the audit as its line: JSON in printable ASCII, whatever the names in it hold. */
import type { AuditEntry, Decision } from "../core/ports/audit.ts";

type Value = string | number | undefined;

/** What is somebody else's, where a task that was asked for is. */
export interface BelongsTo {
  readonly agent: string;
  readonly owner: string;
}

/**
 * Ends with a line feed. Texts of more than 256 characters are cut and end with an ellipsis; what is not printable ASCII
 * is escaped, so that neither a line feed nor what terminals obey gets in.
 */
export function lineOf(entry: AuditEntry, time: number, belongsTo?: BelongsTo): string {
  const fields = {
    time: new Date(time).toISOString(),
    audit: entry.kind,
    ...fieldsOf(entry),
    decision: decisionIn(entry, belongsTo),
    reason: entry.reason,
    ownerAgent: belongsTo?.agent,
    owner: belongsTo?.owner,
  };
  const bounded = Object.entries(fields).map(([name, value]) => [name, boundedOf(value)]);
  return `${asciiOf(JSON.stringify(Object.fromEntries(bounded)))}\n`;
}

/** Whoever asks for what is somebody else's is denied it, whatever the caller was told. */
export function decisionIn({ decision }: AuditEntry, belongsTo: BelongsTo | undefined): Decision {
  return belongsTo ? "denied" : decision;
}

function fieldsOf(entry: AuditEntry): Readonly<Record<string, Value>> {
  switch (entry.kind) {
    case "call": {
      const { requestId: request, principal, address, binding: door, version, agent } = entry;
      const { operation, task, context, message, webhook, ms } = entry;
      const about = { task, context, message, webhook };
      return {
        request,
        ...whoIn(principal),
        address,
        door,
        version,
        agent,
        operation,
        ...about,
        ms,
      };
    }
    case "authentication": {
      const { requestId: request, method, address, binding, version, agent, operation } = entry;
      return { request, method, address, door: binding ?? "catalogue", version, agent, operation };
    }
    case "operator": {
      const { requestId: request, principal, address, operation, subject } = entry;
      const { agent, task, webhook, generation, key, holder } = subject;
      const about = { agent, task, webhook, generation, key, holder: holder?.id };
      const who = principal && whoIn(principal);
      const fields = { request, ...who, address, door: "admin", operation, ...about };
      return { ...fields, holderTenant: holder?.tenant === "" ? undefined : holder?.tenant };
    }
    case "process":
      return { operation: entry.operation, cause: entry.cause };
  }
}

interface Named {
  readonly id: string;
  readonly tenant: string;
  readonly method: string;
}

function whoIn({ id, tenant, method }: Named): Readonly<Record<string, Value>> {
  return {
    principal: id === "" ? undefined : id,
    tenant: tenant === "" ? undefined : tenant,
    method,
  };
}

const MAX_CHARACTERS = 256;

function boundedOf(value: Value): Value {
  if (typeof value !== "string") return value;
  const isLong = value.length > MAX_CHARACTERS;
  const text = isLong ? `${value.slice(0, MAX_CHARACTERS)}…` : value;
  // Half a character, be it cut or sent so, is JSON that not everybody reads.
  return SURROGATE.test(text) ? Buffer.from(text).toString() : text;
}

const SURROGATE = /[\ud800-\udfff]/;

function asciiOf(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
}
