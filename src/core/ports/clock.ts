/** Time and ids come in as values, so that tests decide them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new id: UUID version 7, so that ids sort by time. */
  newId(): string;
}
