/** Where a value is: keys and places in lists, from the top. */
export type Path = readonly PropertyKey[];

/** `agents.echo.static.rules[0].match` */
export function pathText(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === "number") return `${text}[${segment}]`;
    return text === "" ? String(segment) : `${text}.${String(segment)}`;
  }, "");
}
