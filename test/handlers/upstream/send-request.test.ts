import assert from "node:assert/strict";
import { test } from "node:test";
import { sendRequestOf } from "../../../src/handlers/upstream/send-request.ts";
import { A2AError } from "../../../src/protocol/errors.ts";
import { turnOf } from "../turns.ts";

test("refuses a file at an empty address, and says which", () => {
  const turn = turnOf([{ text: "see" }, { url: "", filename: "a.txt" }]);
  assert.throws(
    () => sendRequestOf(turn),
    (thrown) => {
      assert.ok(A2AError.is(thrown));
      const { reason, violations } = A2AError.from(thrown);
      assert.equal(reason, "INVALID_PARAMS");
      assert.deepEqual(violations, [{ field: "message.parts[1].url", description: "is empty" }]);
      return true;
    },
  );
});

test("hands on texts and files that are empty", () => {
  const parts = [{ text: "" }, { raw: "" }];
  assert.deepEqual(sendRequestOf(turnOf(parts)).message.parts, parts);
});
