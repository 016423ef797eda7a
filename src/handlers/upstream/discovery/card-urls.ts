/** Where an agent's card is. */

/** The name of 1.0 and the later 0.3 (spec 8.2), then the one before it. */
const WELL_KNOWN = ["/.well-known/agent-card.json", "/.well-known/agent.json"] as const;

/** Below the agent's address, whose path and query stay; an address that ends in `.json` is the card's own. */
export function cardUrlsOf(url: string): readonly string[] {
  const { origin, pathname, search } = new URL(url);
  if (pathname.endsWith(".json")) return [origin + pathname + search];
  const base = origin + pathname.replace(/\/+$/, "");
  return WELL_KNOWN.map((name) => base + name + search);
}
