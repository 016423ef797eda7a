/** The keys of the configuration that cards are signed with. */
import { openSigningKey, type SigningKey } from "./agents/signing/signing-key.ts";
import type { Config } from "./config/config.ts";
import { ConfigError } from "./config/errors.ts";
import { signingKeyProblem } from "./config/signing-problem.ts";

/** In their order. Throws a ConfigError for one that cannot be used. */
export function openCardKeys(config: Config): Promise<readonly SigningKey[]> {
  const { baseDir, cards } = config;
  return Promise.all(
    cards.signing.map((key, index) =>
      openSigningKey(key, baseDir).catch((cause: unknown) => {
        const problem = signingKeyProblem(config, ["cards", "signing", index], cause);
        throw new ConfigError([problem], { cause });
      }),
    ),
  );
}
