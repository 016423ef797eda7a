/** A configured card that cannot be used is a mistake in the configuration, not an agent that is away. */
import { SettingError } from "../../../setting-error.ts";
import { configuredCard } from "./card-file.ts";
import { discoveredOf, type Whereabouts } from "./discover.ts";

/** Throws a SettingError for such a card; there is nothing to check where it comes from the agent. */
export async function checkConfiguredCard(where: Whereabouts, baseDir: string): Promise<void> {
  const { card } = where;
  if (card === undefined) return;
  try {
    discoveredOf([await configuredCard(card, { baseDir, now: () => 0 })], where);
  } catch (thrown) {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    throw new SettingError("card", what, { cause: thrown });
  }
}
