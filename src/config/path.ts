/** Where a value is: keys and places in lists, from the top. */
export type Path = readonly PropertyKey[];

/** The other way round: of the text `rules[0].match` the path. */
export function pathOf(text: string): Path {
  const segments = text.matchAll(/\[(\d+)\]|[^.[\]]+/g);
  return Array.from(segments, ([segment, place]) =>
    place === undefined ? segment : Number(place),
  );
}

/** `agents.echo.static.rules[0].match` */
export function pathText(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === "number") return `${text}[${segment}]`;
    return text === "" ? String(segment) : `${text}.${String(segment)}`;
  }, "");
}
