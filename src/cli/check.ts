import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { accessCautions } from "../cautions.ts";
import { verifyCard } from "../agents/signing/trusted-card.ts";
import { openSigningKey } from "../agents/signing/signing-key.ts";
import { checkAuditFile } from "../config/audit-file.ts";
import { ENVIRONMENT } from "../config/environment.ts";
import { encryptionKeysOf } from "../config/encryption-keys.ts";
import { ConfigError, type Problem } from "../config/errors.ts";
import { handlerProblem } from "../config/handler-problem.ts";
import { inOrder, readConfig, type Reading } from "../config/load.ts";
import { opsTokenOf } from "../config/ops-token.ts";
import { signingKeyProblem } from "../config/signing-problem.ts";
import { tlsMaterialOf } from "../config/tls-material.ts";
import { createLog } from "../log.ts";
import { print } from "./print.ts";

export function checkCommand(): Command {
  return new Command("check")
    .description("check a configuration file, handlers included, and say what is wrong with it")
    .argument("<config>", "a YAML file")
    .action(async (file: string) => {
      const reading = await readConfig(file);
      const problems = [
        ...reading.problems,
        ...(await handlerProblems(reading)),
        ...(await signingKeyProblems(reading)),
        ...(await secretProblems(reading)),
        ...(await tlsProblems(reading)),
      ];
      if (problems.length > 0) throw new ConfigError(inOrder(problems));
      for (const { where, text, about } of reading.config ? accessCautions(reading.config) : [])
        print(`${where}: warning: ${text}: ${about}`);
      const count = reading.handlers.length;
      print(`${file}: ok, ${count} ${count === 1 ? "agent" : "agents"}`);
    });
}

/** What only the handlers themselves know: templates, files and modules that they need. */
async function handlerProblems(reading: Reading): Promise<readonly Problem[]> {
  const { createHandler } = await import("../handlers/index.ts");
  const problems: Problem[] = [];
  const { baseDir } = reading;
  const deps = { baseDir, env: ENVIRONMENT, log: createLog("silent"), verifyCard };
  for (const written of reading.handlers)
    try {
      const opened = await createHandler(written.handler, deps);
      await opened.close?.();
    } catch (thrown) {
      problems.push(handlerProblem(reading, written, thrown));
    }
  return problems;
}

/** Keys are looked at where all else is right: only then the list of them is known. */
async function signingKeyProblems(reading: Reading): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [index, key] of (reading.config?.cards.signing ?? []).entries())
    try {
      await openSigningKey(key, reading.baseDir);
    } catch (thrown) {
      problems.push(signingKeyProblem(reading, ["cards", "signing", index], thrown));
    }
  return problems;
}

/** Secrets, files and whatever else serve stops at, outside of the agents; looked at where all else is right, as keys are. */
async function secretProblems({ config }: Reading): Promise<readonly Problem[]> {
  if (config === undefined) return [];
  const { certificatesOf, signingKeyOf } = await import("../webhooks.ts");
  const { openConfiguredAccess } = await import("../config/open-access.ts");
  const clock = { now: Date.now, newId: randomUUID };
  const access = { clock, apiKeys: undefined, log: createLog("silent") };
  const reads = [
    () => encryptionKeysOf(config),
    () => signingKeyOf(config),
    () => certificatesOf(config),
    () => opsTokenOf(config),
    () => openConfiguredAccess(config, access),
    () => checkAuditFile(config),
  ];
  const problems: Problem[] = [];
  for (const read of reads)
    try {
      await read();
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      problems.push(...thrown.problems);
    }
  return problems;
}

/** Certificates and keys of the listeners, as they are now. */
async function tlsProblems({ config }: Reading): Promise<readonly Problem[]> {
  if (config === undefined) return [];
  const all = [
    { at: ["tls"], settings: config.tls },
    { at: ["ops", "tls"], settings: config.ops.tls },
    ...Object.entries(config.agents).map(([id, { tls }]) => ({
      at: ["agents", id, "tls"],
      settings: tls,
    })),
  ];
  const problems: Problem[] = [];
  for (const { at, settings } of all)
    try {
      if (settings) await tlsMaterialOf(settings, { ...config, at });
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      problems.push(...thrown.problems);
    }
  return problems;
}
