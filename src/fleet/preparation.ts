/** The part of a change that may still be dropped: what it needs is opened, and nobody sees it yet. */
import type { OwnPort } from "../doors.ts";
import { A2AError } from "../protocol/errors.ts";
import { openMember, type Definition, type Member, type MemberParts } from "./member.ts";
import { NO_PORTS, type OwnPorts, type PortPlan, type Ports } from "./own-ports.ts";
import type { Retirement } from "./retirement.ts";
import { inOrder, stepsTo, type Roll } from "./roll.ts";
import { failuresOf, type Unserved } from "./unserved.ts";

export interface Wanted {
  readonly roll: Roll;
  /** The members that are served now. */
  readonly served: ReadonlyMap<string, Member>;
  /** The id of the agent that the change is about, if it is about one. */
  readonly asked: string | undefined;
}

export interface Prepared {
  readonly roll: Roll;
  /** The members that will be, in the order of the roll. */
  readonly served: ReadonlyMap<string, Member>;
  readonly unserved: Unserved;
  /** What was opened for it, served or not. */
  readonly opened: readonly Member[];
  readonly plan: PortPlan;
}

export class Preparation {
  readonly #parts: MemberParts;
  readonly #ports: OwnPorts;
  readonly #retirement: Retirement;
  #hasEnded = false;

  constructor(parts: MemberParts, ports: OwnPorts, retirement: Retirement) {
    this.#parts = parts;
    this.#ports = ports;
    this.#retirement = retirement;
  }

  /** Throws as `Fleet.change` does, everything closed again that it opened. */
  async prepare({ roll, served, asked }: Wanted): Promise<Prepared> {
    const { unserved, add } = failuresOf(roll, asked);
    const { kept, toOpen } = stepsTo(roll, served);
    const opened: Member[] = [];
    let plan = NO_PORTS;
    try {
      for (const definition of toOpen)
        await this.#open(definition).then(
          (member) => opened.push(member),
          (thrown: unknown) => add(definition, thrown),
        );
      const members = [...kept, ...opened];
      plan = await this.#ports.prepare(portsOf(inOrder(roll, members)));
      for (const member of members) {
        const failure = plan.failures.get(member.id);
        if (failure) add(member, failure);
      }
      this.#checkGoing();
      const able = members.filter(({ id }) => !unserved.has(id));
      return { roll, served: inOrder(roll, able), unserved, opened, plan };
    } catch (thrown) {
      await this.drop({ opened, plan });
      throw thrown;
    }
  }

  /** Closes what was opened. */
  async drop({ opened, plan }: Pick<Prepared, "opened" | "plan">): Promise<void> {
    await this.#ports.drop(plan);
    for (const { agent } of opened) await this.#retirement.close(agent);
  }

  /** From now on nothing is prepared; what is being opened is closed. */
  end(): void {
    this.#hasEnded = true;
  }

  async #open(definition: Definition): Promise<Member> {
    this.#checkGoing();
    const member = await openMember(definition, this.#parts);
    this.#retirement.add(member.agent);
    return member;
  }

  #checkGoing(): void {
    if (this.#hasEnded) throw new A2AError("UNAVAILABLE", "the gateway is stopping");
  }
}

function portsOf(members: ReadonlyMap<string, Member>): Ports {
  const ports = new Map<string, OwnPort>();
  for (const [id, { config }] of members) {
    const { port, tls } = config;
    if (port !== undefined) ports.set(id, { port, tls });
  }
  return ports;
}
