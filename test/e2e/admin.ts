/** The Admin API of a gateway, as a test uses it. */
import assert from "node:assert/strict";

export interface AdminAnswer {
  readonly status: number;
  /** Undefined where there is no body. */
  readonly body: unknown;
}

export function adminOf(opsUrl: string) {
  const ask = async (method: string, path: string, body?: unknown): Promise<AdminAnswer> => {
    const answer = await fetch(`${opsUrl}/admin${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  return {
    ask,
    /** The ids of the agents, those that are disabled with a minus before it. */
    async ids(): Promise<readonly string[]> {
      const { body } = await ask("GET", "/agents");
      const { agents } = body as {
        readonly agents: readonly { readonly id: string; readonly isEnabled: boolean }[];
      };
      return agents.map(({ id, isEnabled }) => (isEnabled ? id : `-${id}`));
    },
    async done(method: string, path: string, body?: unknown): Promise<unknown> {
      const answer = await ask(method, path, body);
      assert.ok(answer.status < 300, JSON.stringify(answer));
      return answer.body;
    },
    /** The status of a refusal, and what is wrong, as `path: what`. */
    async refused(method: string, path: string, body?: unknown) {
      const { status, body: answer } = await ask(method, path, body);
      const { error } = answer as {
        readonly error: {
          readonly message: string;
          readonly problems?: readonly { readonly path: string; readonly what: string }[];
        };
      };
      const problems = (error.problems ?? []).map((each) => `${each.path}: ${each.what}`);
      return { status, message: error.message, problems };
    },
  };
}
