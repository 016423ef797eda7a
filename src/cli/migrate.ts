import { Command } from "commander";
import { loadConfig } from "../config/load.ts";
import { CommandError, EXIT } from "./exit.ts";
import { print } from "./print.ts";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("bring the database up to date; serve does so by itself")
    .argument("[config]", "a YAML file")
    .action(async (file: string | undefined) => {
      const { database } = await loadConfig(file);
      if (database === ":memory:")
        throw new CommandError("a database in memory has nothing to migrate", EXIT.usage);
      const { migrateFile } = await import("../store/knex/database.ts");
      const steps = await migrateFile(database);
      for (const step of steps) print(`applied ${step}`);
      print(steps.length === 0 ? `${database}: up to date` : `${database}: now up to date`);
    });
}
