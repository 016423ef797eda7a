/** How long each step of an exchange may take. */

type Step = "connect" | "head" | "idle";

/** Milliseconds; 0: without limit. */
export type Patience = Readonly<Record<Step, number>>;

const LATE = {
  connect: "LATE_CONNECTION",
  head: "LATE_HEAD",
  idle: "LATE_BODY",
} as const satisfies Record<Step, string>;

class LateError extends Error {
  readonly code: (typeof LATE)[Step];

  constructor(step: Step, patience: number) {
    super(`nothing for ${patience} ms`);
    this.code = LATE[step];
  }
}

export interface StepWatch {
  /** Ends the step before. */
  begin(step: Step): void;
  end(): void;
}

/** Calls `onLate` when a step does not end in time, with an error whose code tells the step. */
export function watchSteps(patience: Patience, onLate: (error: Error) => void): StepWatch {
  let timer: NodeJS.Timeout | undefined;
  const end = () => clearTimeout(timer);
  return {
    begin(step) {
      end();
      const limit = patience[step];
      if (limit > 0) timer = setTimeout(() => onLate(new LateError(step, limit)), limit);
    },
    end,
  };
}
