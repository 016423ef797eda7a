/** The messages of a task that are here already, however often its agent repeats them. */
import { randomUUID } from "node:crypto";
import type { HandlerMessage } from "../../core/ports/handler.ts";
import type { Message, Part, Task } from "../../protocol/model.ts";

export class SaidMessages {
  readonly #ids = new Set<string>();
  /** The parts of those that the agent gave no id, which were given one here. */
  #unnamed: Set<string> | undefined;
  readonly #before: readonly Message[];
  #last: Message | undefined;

  constructor(message: Message, task: Task | undefined) {
    const { history = [], status } = task ?? {};
    this.#before = status?.message ? [...history, status.message] : history;
    this.#ids.add(message.messageId);
    for (const { messageId } of this.#before) this.#ids.add(messageId);
    this.#last = status?.message;
  }

  /**
   * Whether a status says nothing new with it.
   * @param isRepeating whether the agent may be telling again what it has told before; if not, an id that comes again
   * with other parts is another message
   */
  isKnown(message: Message, isRepeating: boolean): boolean {
    const isLast = this.#last !== undefined && textOf(this.#last) === textOf(message);
    if (message.messageId === "") return isLast || (isRepeating && this.#isUnnamed(message));
    return this.#ids.has(message.messageId) && (isRepeating || isLast);
  }

  add(message: Message): void {
    this.#last = message;
    if (message.messageId === "") this.#unnamedTexts().add(textOf(message));
    else this.#ids.add(message.messageId);
  }

  /** The agent's messages of a history that are not here, each with an id. */
  newIn(history: readonly Message[], current: Message | undefined): readonly Message[] {
    const added: Message[] = [];
    for (const message of history) {
      // The caller's messages are known here; what the agent makes of them is not.
      if (message.role !== "ROLE_AGENT" || isSame(message, current)) continue;
      if (message.messageId === "" ? this.#isUnnamed(message) : this.#ids.has(message.messageId))
        continue;
      this.add(message);
      added.push(ownOf(message));
    }
    return added;
  }

  #isUnnamed(message: Message): boolean {
    return this.#unnamedTexts().has(textOf(message));
  }

  /** Looked at only for agents that give no ids: most do. */
  #unnamedTexts(): Set<string> {
    this.#unnamed ??= new Set(
      this.#before.filter(({ role }) => role === "ROLE_AGENT").map((each) => textOf(each)),
    );
    return this.#unnamed;
  }
}

/** As core takes it, without names that tasks have only at the agent. */
export function handlerMessageOf(message: Message): HandlerMessage {
  const { messageId, parts, metadata, extensions } = message;
  return {
    ...(messageId !== "" && { messageId }),
    parts,
    ...(metadata && { metadata }),
    ...(extensions && { extensions }),
  };
}

function ownOf(message: Message): Message {
  const { referenceTaskIds: _, messageId, ...rest } = message;
  return Object.assign({}, rest, { messageId: messageId === "" ? randomUUID() : messageId });
}

function isSame(message: Message, other: Message | undefined): boolean {
  if (other === undefined || message.messageId !== other.messageId) return false;
  return message.messageId !== "" || textOf(message) === textOf(other);
}

function textOf({ parts }: { readonly parts: readonly Part[] }): string {
  return JSON.stringify(parts);
}
