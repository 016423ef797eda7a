import { normalBase64 } from "./base64.ts";
import { DELIMITED, VARINT, type ValueType } from "./value-type.ts";
import { kindOf, quoted } from "./violations.ts";

export const stringType: ValueType<string> = {
  wireType: DELIMITED,
  zero: "",
  mustDiffer: true,
  takesNull: false,
  fromJson(json, violations) {
    if (typeof json !== "string") violations.add(`must be a string, not ${kindOf(json)}`);
    else if (isWellFormed(json)) return json;
    else violations.add("must be text, but holds half a character (a lone surrogate)");
    return undefined;
  },
  fromText: (text) => text,
  write: (value, writer) => writer.string(value),
  read: (reader) => reader.string(),
};

/** Half a character has no form in UTF-8: it would be another text on its way to disk or over gRPC. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

export const boolType: ValueType<boolean> = {
  wireType: VARINT,
  zero: false,
  mustDiffer: false,
  takesNull: false,
  fromJson(json, violations) {
    if (typeof json === "boolean") return json;
    violations.add(`must be true or false, not ${quoted(json)}`);
    return undefined;
  },
  fromText(text, violations) {
    if (text === "true" || text === "false") return text === "true";
    violations.add(`must be true or false, not ${quoted(text)}`);
    return undefined;
  },
  write: (value, writer) => writer.uint32(value ? 1 : 0),
  read: (reader) => reader.bool(),
};

/** Numbers, and as ProtoJSON has it, their decimal digits as a string. */
function integerType(
  least: number,
  most: number,
  wire: Pick<ValueType<number>, "write" | "read">,
): ValueType<number> {
  const fromJson: ValueType<number>["fromJson"] = (json, violations) => {
    const value = typeof json === "string" && /^-?\d+$/.test(json) ? Number(json) : json;
    if (typeof value !== "number" || !Number.isInteger(value))
      violations.add(`must be a whole number, not ${quoted(json)}`);
    else if (value < least || value > most)
      violations.add(`must be between ${least} and ${most}, not ${quoted(json)}`);
    else return value === 0 ? 0 : value; // -0 is 0
    return undefined;
  };
  return {
    wireType: VARINT,
    zero: 0,
    mustDiffer: false,
    takesNull: false,
    fromJson,
    fromText: fromJson,
    ...wire,
  };
}

export const int32Type = integerType(-(2 ** 31), 2 ** 31 - 1, {
  write: (value, writer) => writer.int64(value),
  read: (reader) => reader.int32(),
});

export const int64Type = integerType(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, {
  write: (value, writer) => writer.int64(value),
  read: (reader) => reader.int64(),
});

/** In the model, bytes are standard base64 with padding. */
export const bytesType: ValueType<string> = {
  wireType: DELIMITED,
  zero: "",
  mustDiffer: true,
  takesNull: false,
  fromJson(json, violations) {
    if (typeof json !== "string") violations.add(`must be base64 text, not ${kindOf(json)}`);
    else {
      const text = normalBase64(json);
      if (text !== undefined) return text;
      violations.add("is not base64");
    }
    return undefined;
  },
  write: (value, writer) => writer.base64(value),
  read: (reader) => reader.base64(),
};

/** In the model, an enum value is its name. A value that is not known is an error, or the zero value in lenient mode. */
export function enumType(values: ReadonlyMap<string, number>): ValueType<string> {
  const names = new Map([...values].map(([name, number]) => [number, name]));
  const zero = names.get(0) ?? "";
  const allowed = [...values.keys()].filter((name) => name !== zero).join(", ");

  const fromJson: ValueType<string>["fromJson"] = (json, violations) => {
    if (typeof json === "string") {
      if (values.has(json)) return json;
      const name = /^\d+$/.test(json) ? names.get(Number(json)) : undefined;
      if (name !== undefined) return name;
    } else if (typeof json === "number") {
      const name = names.get(json);
      if (name !== undefined) return name;
    }
    if (violations.lenient && (typeof json === "string" || typeof json === "number")) return zero;
    violations.add(`must be one of ${allowed}, not ${quoted(json)}`);
    return undefined;
  };
  return {
    wireType: VARINT,
    zero,
    mustDiffer: true,
    takesNull: false,
    fromJson,
    fromText: fromJson,
    write: (value, writer) => writer.int64(values.get(value) ?? 0),
    read: (reader, violations) => fromJson(reader.int32(), violations),
  };
}
