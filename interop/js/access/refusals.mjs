/** What the SDK makes of it that somebody is not let in, or may not do something: it has no types for that. */
import assert from "node:assert/strict";
import { A2AError } from "@a2a-js/sdk/errors";

const CODES = {
  unauthenticated: { JSONRPC: -32010, "HTTP+JSON": 401, GRPC: 16 },
  forbidden: { JSONRPC: -32011, "HTTP+JSON": 403, GRPC: 7 },
};

/** For assert.rejects: an error of that kind on that binding in that version, with these words in its message. */
export function refusal(kind, words, { binding, version }) {
  return (thrown) => {
    assert.match(thrown.message, words);
    if (binding === "HTTP+JSON" && version === "0.3") {
      assert.equal(thrown.message.endsWith(`(Code: ${CODES[kind].JSONRPC})`), true, thrown.message);
      return true;
    }
    if (binding !== "JSONRPC") assert.ok(thrown instanceof A2AError, thrown.constructor.name);
    const { envelopeCode, statusCode, status } = thrown;
    assert.equal(envelopeCode ?? statusCode ?? status, CODES[kind][binding]);
    return true;
  };
}
