import { Command } from "commander";
import type { Config } from "../config/config.ts";
import { ENVIRONMENT } from "../config/environment.ts";
import { ConfigError, type Problem } from "../config/errors.ts";
import { loadConfig } from "../config/load.ts";
import { createLog } from "../log.ts";
import { print } from "./print.ts";

export function checkCommand(): Command {
  return new Command("check")
    .description("check a configuration file, handlers included, and say what is wrong with it")
    .argument("<config>", "a YAML file")
    .action(async (file: string) => {
      const config = await loadConfig(file);
      const problems = await handlerProblems(file, config);
      if (problems.length > 0) throw new ConfigError(problems);
      const count = Object.keys(config.agents).length;
      print(`${file}: ok, ${count} ${count === 1 ? "agent" : "agents"}`);
    });
}

/** What only the handlers themselves know: templates, files and modules that they need. */
async function handlerProblems(file: string, config: Config): Promise<readonly Problem[]> {
  const { createHandler } = await import("../handlers/index.ts");
  const problems: Problem[] = [];
  const deps = { baseDir: config.baseDir, env: ENVIRONMENT, log: createLog("silent") };
  for (const [id, { handler }] of Object.entries(config.agents))
    try {
      const opened = await createHandler(handler, deps);
      await opened.close?.();
    } catch (thrown) {
      const what = thrown instanceof Error ? thrown.message : String(thrown);
      problems.push({ where: file, path: `agents.${id}.${handler.kind}`, what });
    }
  return problems;
}
