import type { Environment } from "./environment.ts";

/**
 * Fills in `${NAME}` from the environment; `$${` stands for a plain `${`. What cannot be filled in is left as it is
 * and named in `failures`.
 */
export function interpolate(
  text: string,
  env: Environment,
): { readonly text: string; readonly failures: readonly string[] } {
  const failures: string[] = [];
  const filled = text.replace(/\$\$\{|\$\{([^}]*)\}?/g, (match, name: string | undefined) => {
    if (name === undefined) return "${";
    if (!/^[A-Za-z_]\w*$/.test(name) || !match.endsWith("}")) {
      failures.push(
        `expected a variable such as \${NAME}, got ${JSON.stringify(match)} ($\${ is a plain \${)`,
      );
      return match;
    }
    const value = env[name];
    if (value === undefined) failures.push(`environment variable ${name} is not set`);
    return value ?? match;
  });
  return { text: filled, failures };
}
