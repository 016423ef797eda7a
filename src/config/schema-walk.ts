/** Looks into schemas: which keys a mapping may have, and what stands below each of them. */
import { z } from "zod";
import type { Path } from "./path.ts";

/** The keys that are known at a path; empty where any key is. */
export function keysAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  const reached = path.reduce<readonly z.core.$ZodType[]>(
    (schemas, segment) => schemas.flatMap((each) => below(each, segment)),
    [schema],
  );
  return [...new Set(reached.flatMap((each) => mappingsOf(each).flatMap(shapeKeys)))];
}

/** The path of every key that a schema knows, `*` for keys that the user chooses and for places in a list. */
export function keyPaths(schema: z.core.$ZodType, prefix = ""): readonly string[] {
  return resolved(schema).flatMap((each): readonly string[] => {
    if (each instanceof z.ZodObject)
      return Object.entries(each.shape).flatMap(([key, child]) => {
        const path = prefix === "" ? key : `${prefix}.${key}`;
        return [path, ...keyPaths(child as z.core.$ZodType, path)];
      });
    if (each instanceof z.ZodRecord) return keyPaths(each.valueType, `${prefix}.*`);
    if (each instanceof z.ZodArray) return keyPaths(each.element, `${prefix}.*`);
    return [];
  });
}

function below(schema: z.core.$ZodType, segment: PropertyKey): readonly z.core.$ZodType[] {
  return resolved(schema).flatMap((each) => {
    if (each instanceof z.ZodObject) {
      const child: unknown = each.shape[String(segment)];
      return child instanceof z.ZodType ? [child] : [];
    }
    if (each instanceof z.ZodRecord) return [each.valueType];
    if (each instanceof z.ZodArray) return [each.element];
    return [];
  });
}

function mappingsOf(schema: z.core.$ZodType): readonly z.ZodObject[] {
  return resolved(schema).filter((each) => each instanceof z.ZodObject);
}

function shapeKeys(schema: z.ZodObject): readonly string[] {
  return Object.keys(schema.shape);
}

/** The schemas that read the value itself, without what defaults, alternatives and transformations put around them. JSON data has any keys. */
function resolved(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  )
    return resolved(schema.def.innerType);
  if (schema instanceof z.ZodPipe) return resolved(schema.def.in);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(resolved);
  return [schema];
}
