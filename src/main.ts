#!/usr/bin/env node
import { run } from "./cli/program.ts";

// Whoever reads our output may stop reading; that is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const exitCode = await run(process.argv.slice(2));
if (exitCode !== 0) process.exit(exitCode);
