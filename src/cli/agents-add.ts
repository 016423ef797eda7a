import { Command } from "commander";
import { adminPath } from "./admin/client.ts";
import { adminOf, withAdminOptions, type AdminFlags } from "./admin/options.ts";
import { show } from "./admin/show.ts";
import { definitionIn, type WrittenAgent } from "./agents-definition.ts";
import { agentLines } from "./agents-lines.ts";
import { webUrl } from "./client-options.ts";
import { CommandError, EXIT } from "./exit.ts";
import { plainWord } from "./plain-text.ts";

interface AddFlags extends AdminFlags {
  readonly upstream?: string;
}

const CREATED = 201;

export function agentsAddCommand(): Command {
  return withAdminOptions(
    new Command("add")
      .description("add an agent, or give one that was added another definition")
      .argument("[id]", "its id; the one in the file, where that is a whole configuration")
      .argument(
        "[file]",
        "YAML: what stands below an agent's id in a configuration; - for standard input",
      )
      .option("--upstream <url>", "in place of a file: the remote agent at this address", webUrl),
  ).action(async (first: string | undefined, second: string | undefined, flags: AddFlags) => {
    const { id, definition, placeOf } = await written(first, second, flags);
    const admin = await adminOf(flags);
    const path = adminPath("agents", id);
    const { status, json } = await admin({ verb: "PUT", path, body: definition, placeOf });
    show(flags, json, (agent) => [
      `${status === CREATED ? "added" : "changed"} ${plainWord(id)}`,
      ...agentLines(agent),
    ]);
  });
}

/** No id has a dot or a slash in it: what has is a file, and the only argument may be that. */
async function written(
  first: string | undefined,
  second: string | undefined,
  { upstream }: AddFlags,
): Promise<WrittenAgent> {
  const isFile = first !== undefined && second === undefined && /^-$|[./\\]/.test(first);
  const [id, file] = isFile ? [undefined, first] : [first, second];
  if (upstream !== undefined && file !== undefined)
    throw new CommandError("--upstream stands in place of a file", EXIT.usage);
  if (file !== undefined) return definitionIn(file, id);
  if (upstream === undefined)
    throw new CommandError("expected a file, - for standard input, or --upstream", EXIT.usage);
  if (id === undefined) throw new CommandError("--upstream needs an id", EXIT.usage);
  return { id, definition: { upstream }, placeOf: plainWord };
}
