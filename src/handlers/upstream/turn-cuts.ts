/** What cuts the calls of one turn: its end all of them, and an answer that came elsewhere the one that tells events. */
import { A2AError } from "../../protocol/errors.ts";
import { Cut, type Signal } from "../cut.ts";

/** One for all: every turn ends so, and to make an error costs as much as to read an answer. */
const TURN_ENDED = new A2AError("CANCELLED", "the turn has ended");

export class TurnCuts {
  #isEnding = false;
  /** Of the call that tells events, or of the pause before it. */
  #telling: Cut | undefined;
  /** Of calls beside it: made when there are any. */
  #beside: Cut | undefined;

  /** Whether the turn is to end here. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Of what tells events next: a call, or the pause before it. */
  telling(): Signal {
    this.#telling = new Cut();
    if (this.#isEnding) this.#telling.abort(TURN_ENDED);
    return this.#telling;
  }

  /** The same as it is now. */
  toldNow(): Signal {
    return this.#telling ?? this.telling();
  }

  /** Whether what tells events was cut. */
  get isInterrupted(): boolean {
    return this.#telling?.aborted === true;
  }

  /** Cuts what tells events, to look at what the agent answered elsewhere. */
  interrupt(): void {
    this.#telling?.abort(new A2AError("CANCELLED", "the agent has answered elsewhere"));
  }

  /** Lets what told events come to its end, whatever happens. */
  spare(): void {
    this.#telling = undefined;
  }

  /** Of a call that goes on beside, to the end of the turn. */
  beside(): Signal {
    this.#beside ??= new Cut();
    if (this.#isEnding) this.#beside.abort(TURN_ENDED);
    return this.#beside;
  }

  end(): void {
    this.#isEnding = true;
    this.#beside?.abort(TURN_ENDED);
    this.#telling?.abort(TURN_ENDED);
  }
}
