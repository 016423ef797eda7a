/** What the other side answered instead of a result, in the words of its binding. */
export class RemoteError extends Error {
  /** The JSON-RPC code, the HTTP status or the gRPC code. */
  readonly code: number | undefined;
  /** The `reason` of its ErrorInfo, such as TASK_NOT_FOUND. */
  readonly reason: string | undefined;

  constructor(
    message: string,
    { code, reason, cause }: { code?: number; reason?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "RemoteError";
    this.code = code;
    this.reason = reason;
  }
}

/** The reason in the google.rpc details of a 1.0 error (spec 9.5 and 11.6); undefined where there is none. */
export function reasonOf(details: unknown): string | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details as readonly unknown[]) {
    const reason = textMember(detail, "reason");
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** fetch hides the reason in the cause: "fetch failed" alone helps nobody. */
export function reasonText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.name === "TimeoutError") return "it took too long (--timeout)";
  const { cause } = thrown;
  if (!(cause instanceof Error)) return thrown.message;
  return cause.message || ("code" in cause ? String(cause.code) : thrown.message);
}

/** A member of whatever came in; undefined where there is none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

export function textMember(value: unknown, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === "string" ? found : undefined;
}
