/** A card as its agent sent it. Plain data: whoever keeps it can start from it the next time. */
export interface FoundCard {
  /** The configured address that it was found with; undefined for a card that is configured itself. */
  readonly base?: string;
  /** Where it was. */
  readonly url?: string;
  /** Parsed, otherwise untouched. */
  readonly json: unknown;
  readonly etag?: string;
  /** Milliseconds since the epoch: when the agent last said that this is its card. */
  readonly fetchedAt: number;
}
