/** Where in a YAML text the things on a path were written. */
import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Pair } from "yaml";
import type { Path } from "./path.ts";

/** The offset of the value at a path, of its key, or of the nearest thing around it that was written. */
export function offsetOf(document: Document, path: Path, part: "key" | "value"): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [depth, segment] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    const found = childOf(node, segment);
    if (found === undefined) return offset;
    const key = startOf(found.key);
    const value = startOf(found.value);
    const last = depth === path.length - 1;
    offset = (last && part === "key" ? key : (value ?? key)) ?? offset;
    // A missing child is best shown where the key of its parent stands.
    if (!last && childOf(found.value, path[depth + 1] ?? "") === undefined && key !== undefined)
      offset = key;
    node = found.value;
  }
  return offset;
}

function childOf(
  node: unknown,
  segment: PropertyKey,
): { readonly key: unknown; readonly value: unknown } | undefined {
  if (isMap<Node, Node>(node))
    return node.items.find((pair: Pair<Node, Node | null>) => keyText(pair.key) === segment);
  if (isSeq<Node>(node) && typeof segment === "number" && segment < node.items.length)
    return { key: undefined, value: node.items[segment] };
  return undefined;
}

export function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function startOf(node: unknown): number | undefined {
  const hasRange = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node);
  return hasRange ? node.range?.[0] : undefined;
}
