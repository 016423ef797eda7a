/** What a list costs the server with many tasks over what it costs with few, however it is asked. */
import { listOf, type Operation, type World } from "../operations.ts";
import { tokenOf, worldOf } from "../world.ts";
import { alternate } from "./alternate.ts";
import { startGateway, withTargets, type Context } from "./context.ts";

/** A context of the seeded tasks; each has as many tasks as four pages. */
const CONTEXT = { contextId: "context-3" };
const STATE = { status: "TASK_STATE_COMPLETED" };
/** Deep: this share of the list comes before the page. */
const DEEP = 0.9;

export async function growthRows(context: Context): Promise<void> {
  const { options, report } = context;
  const starting = options.growth.map((seed) =>
    startGateway(context, { seed, database: `growth-${seed}` }),
  );
  await withTargets(starting, async (...targets) => {
    const sized = await Promise.all(
      targets.map(async (target, index) => {
        const seed = options.growth[index] ?? 0;
        return { target, seed, world: await worldOf(target, seed, 0) };
      }),
    );
    report.head(`ListTasks: CPU with ${options.growth[1]} over ${options.growth[0]} tasks`);
    for (const [what, filters] of filtersOf(options.growth[0])) {
      const first = listOf(`list ${what}`, () => filters);
      await row(`${what}, first page`, first, () => 0);
      const deep = listOf(`list ${what}`, ({ deepToken }) => ({ ...filters, ...page(deepToken) }));
      const pages = (seed: number, { pageSize }: World) =>
        what === "by context" ? 1 : Math.floor((seed * DEEP) / pageSize);
      await row(`${what}, deep page`, deep, pages);
    }

    async function row(
      name: string,
      operation: Operation,
      pagesOf: (seed: number, world: World) => number,
    ): Promise<void> {
      const loads = [];
      for (const { target, seed, world } of sized) {
        const deepToken = await tokenOf(target, world, pagesOf(seed, world), operation);
        // A filter leaves fewer tasks: their total is not what these rows are about.
        const narrowed = { ...world, deepToken, total: 0 };
        loads.push({ target, operation, binding: "jsonrpc" as const, world: narrowed });
      }
      const [few, many] = await alternate(loads, options);
      if (!few || !many) throw new Error("a server is missing");
      const detail = `${many.cpu.toFixed(0)} of ${few.cpu.toFixed(0)} us`;
      report.add({ name: `list ${name}`, value: many.cpu / few.cpu, goal: "growth", detail });
    }
  });
}

function page(deepToken: string): Record<string, string> {
  return deepToken === "" ? {} : { pageToken: deepToken };
}

/** Since: from when on even the smaller database has tasks; both then have nearly all of theirs within. */
function filtersOf(small: number): readonly (readonly [string, Record<string, string>])[] {
  const since = new Date(Date.now() - small * 20 - 3_600_000 * 24).toISOString();
  return [
    ["without filter", {}],
    ["by state", STATE],
    ["by time", { statusTimestampAfter: since }],
    ["by state and time", { ...STATE, statusTimestampAfter: since }],
    ["by context", CONTEXT],
  ];
}
