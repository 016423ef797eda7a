/** What a remote agent of 1.0 tells of its one task: `there` is how it calls it. */
export const there = { taskId: "u-task-7", contextId: "u-context" } as const;

type State =
  | "SUBMITTED"
  | "WORKING"
  | "COMPLETED"
  | "FAILED"
  | "CANCELED"
  | "INPUT_REQUIRED"
  | "AUTH_REQUIRED"
  | "UNSPECIFIED";

/** A message of the agent; without an id it has the text's. */
export function saying(text: string, messageId = `said ${text}`) {
  return { messageId, role: "ROLE_AGENT", parts: [{ text }] } as const;
}

export function statusOf(state: State, message?: ReturnType<typeof saying>) {
  return { state: `TASK_STATE_${state}`, ...(message && { message }) } as const;
}

export function update(state: State, text?: string) {
  const message = text === undefined ? undefined : saying(text);
  return { statusUpdate: { ...there, status: statusOf(state, message) } } as const;
}

export function artifactOf(artifactId: string, ...texts: readonly string[]) {
  return { artifactId, parts: texts.map((text) => ({ text })) } as const;
}

/** The whole artifact, or its first chunk. */
export function whole(text: string, artifactId = "a") {
  return { artifactUpdate: { ...there, artifact: artifactOf(artifactId, text) } } as const;
}

export function chunk(text: string, artifactId = "a") {
  const artifact = artifactOf(artifactId, text);
  return { artifactUpdate: { ...there, artifact, append: true } } as const;
}

export interface Told {
  readonly message?: ReturnType<typeof saying>;
  readonly artifacts?: readonly ReturnType<typeof artifactOf>[];
  readonly history?: readonly ReturnType<typeof saying>[];
}

export function taskIn(state: State, { message, ...rest }: Told = {}) {
  const { taskId: id, contextId } = there;
  return { id, contextId, status: statusOf(state, message), ...rest } as const;
}

export function snapshot(state: State, told?: Told) {
  return { task: taskIn(state, told) } as const;
}
