/** The keys that agent cards are signed with, as the configuration names them; what is in the files is read later. */
import { filledText, listOf, mapping } from "./fields.ts";
import { webUrl } from "./addresses.ts";

export const signingKey = mapping({
  file: filledText,
  kid: filledText,
  jku: webUrl.exactOptional(),
});

/** Each under a name of its own: a verifier finds the key by it. */
export const signingKeys = listOf(signingKey).check(({ value, issues }) => {
  const known = new Set<string>();
  for (const [index, { kid }] of value.entries()) {
    if (known.has(kid))
      issues.push({
        code: "custom",
        message: "expected a name that no other key has",
        path: [index, "kid"],
        input: value,
      });
    known.add(kid);
  }
});
