/** The plain parts that the schemas are made of. Whatever is wrong says what was expected. */
import { z } from "zod";

/** True or false; also as text, since the environment holds nothing else. */
export const flag = z
  .union([z.boolean(), z.literal(["true", "false"])], { error: "expected true or false" })
  .transform((value) => value === true || value === "true");

export const text = z.string({ error: "expected text" });

export const filledText = text.check(
  z.refine((value) => value.trim() !== "", { error: "expected text that is not empty" }),
);

export function oneOf<const T extends readonly string[]>(values: T) {
  const error = `expected one of ${values.join(", ")}`;
  return z.enum(values, { error });
}

export function listOf<T extends z.ZodType>(element: T) {
  return z.array(element, { error: "expected a list" });
}

/** A list in which no element is there twice; `what` each of them is. */
export function setOf<T extends z.ZodType<string>>(element: T, what: string) {
  return listOf(element).check(({ value, issues }) => {
    for (const [index, each] of value.entries())
      if (value.indexOf(each) < index)
        issues.push({
          code: "custom",
          message: `expected ${what} that is not in the list already`,
          path: [index],
          input: value,
        });
  });
}

/** A mapping with these keys and no others. */
export function mapping<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "invalid_type" ? "expected a mapping" : undefined),
  });
}

/** A mapping with these keys, all of which have defaults, so that the whole may be left out. */
export function group<T extends z.core.$ZodLooseShape>(shape: T) {
  return mapping(shape).prefault({} as z.input<z.ZodObject<T, z.core.$strict>>);
}

/** A text that nobody else is to know, or the file that holds it. */
export const secret = z.union([filledText, mapping({ file: filledText })], {
  error: "expected text, or a mapping with file",
});

/** Any JSON value, kept as it is. */
export const json = z.json({ error: "expected JSON data" });

export const jsonObject = z.record(z.string(), json, { error: "expected a mapping" });

export const mediaType = text.regex(/^[\w.+*-]+(\/[\w.+*-]+)?(\s*;.*)?$/, {
  error: "expected a media type such as text/plain",
});

export const headerName = z
  .string({ error: "expected a header name" })
  .regex(/^[!#$%&'*+.^_`|~\w-]+$/, { error: "expected a header name" })
  .transform((name) => name.toLowerCase());
