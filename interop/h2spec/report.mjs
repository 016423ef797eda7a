// Runs h2spec against a server and reads what it says of it.
import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";

/** How long h2spec waits for what does not come, in seconds: in most cases that fail, and in some that do not. */
const PATIENCE = 1;

/**
 * The cases of some sections, of all when none is named, as the port's server bears them: the section of each, its title, and
 * whether it failed or was skipped.
 */
export async function casesAt({ h2spec, port, isSecure, report }, sections = []) {
  const options = ["-h", "127.0.0.1", "-p", String(port), "-o", String(PATIENCE), "-j", report];
  const tls = isSecure ? ["-t", "-k"] : [];
  rmSync(report, { force: true });
  // Its exit status only says that a case has failed.
  await new Promise((resolve) => {
    execFile(h2spec, [...sections, ...options, ...tls], resolve);
  });
  const text = readFileSync(report, "utf8");
  const cases = text.matchAll(
    /<testcase package="([^"]*)" classname="([^"]*)"[^>]*>([^]*?)<\/testcase>/g,
  );
  return [...cases].map(([, section, title, body]) => ({
    section,
    name: `${section} ${title}`.replaceAll("&#34;", '"'),
    isFailed: /<(?:error|failure)/.test(body),
    isSkipped: body.includes("<skipped"),
  }));
}

export function failedIn(cases) {
  return cases.filter(({ isFailed }) => isFailed);
}
