/** The command of the configuration as a program with arguments. */
import { basename } from "node:path";
import { SettingError } from "../../setting-error.ts";
import type { ExecConfig } from "./config.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** What callers may know of it. */
  readonly name: string;
}

/** Throws an Error for a command without a program. */
export function commandOf({ command, shell }: ExecConfig): Command {
  const words = typeof command === "string" ? [command] : command;
  const [file, ...args] = words;
  if (file === undefined || file.trim() === "")
    throw new SettingError("command", "expected a program");
  if (shell ?? typeof command === "string")
    return { file: "/bin/sh", args: ["-c", words.join(" ")], name: "sh" };
  return { file, args, name: basename(file) };
}
