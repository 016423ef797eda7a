import { z } from "zod";

/** Checks keys beside the values, where a record's own check of a key would leave the value below it unread. */
export function eachKey(faultOf: (key: string) => string | undefined) {
  return z.core._check<object>(
    ({ value, issues }) => {
      for (const key of Object.keys(value)) {
        const message = faultOf(key);
        if (message === undefined) continue;
        issues.push({
          code: "invalid_key",
          origin: "record",
          issues: [{ code: "custom", message, path: [], input: key }],
          path: [key],
          input: value,
        });
      }
    },
    { when: ({ value }) => typeof value === "object" && value !== null },
  );
}
