import assert from "node:assert/strict";
import { A2AError } from "../../src/protocol/errors.ts";

/** The error that `act` throws, which must be INVALID_PARAMS. */
export function refusal(act: () => unknown): A2AError {
  try {
    act();
  } catch (thrown) {
    assert.ok(A2AError.is(thrown), String(thrown));
    assert.equal(thrown.reason, "INVALID_PARAMS");
    return thrown;
  }
  throw new assert.AssertionError({ message: "nothing was refused" });
}

/** The violations of that error, by field. */
export function violationsOf(act: () => unknown): Record<string, string> {
  const { violations } = refusal(act);
  return Object.fromEntries(violations.map(({ field, description }) => [field, description]));
}

/** An object or array nested that deep. */
export function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}
