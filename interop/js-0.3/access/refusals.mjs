/** What the SDK makes of it that somebody is not let in, or may not do something: it has no types for that. */
import assert from "node:assert/strict";

const CODES = {
  unauthenticated: { JSONRPC: -32010, "HTTP+JSON": -32010, GRPC: 16 },
  forbidden: { JSONRPC: -32011, "HTTP+JSON": -32011, GRPC: 7 },
};

/** For assert.rejects: an error of that kind on that binding, with these words in its message. */
export function refusal(kind, words, binding) {
  return (thrown) => {
    assert.match(thrown.message, words);
    const inText = /\(Code: (-?\d+)\)/.exec(thrown.message)?.[1];
    const code = thrown.errorResponse?.error.code ?? thrown.cause?.code ?? Number(inText);
    assert.equal(code, CODES[kind][binding], thrown.stack);
    return true;
  };
}
