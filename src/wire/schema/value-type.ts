import type { ProtoReader } from "./proto-reader.ts";
import type { ProtoWriter } from "./proto-writer.ts";
import type { Violations } from "./violations.ts";

export const VARINT = 0;
export const DELIMITED = 2;

/**
 * How values of one protobuf type are written in JSON, in a query and in protobuf, and what they are in the model.
 * The readers answer undefined, after they added a violation, for what is not such a value.
 */
export interface ValueType<T> {
  readonly wireType: typeof VARINT | typeof DELIMITED;
  /** What stands for "not set" in a field without presence; undefined for messages, which always have presence. */
  readonly zero: T | undefined;
  /** Whether a required field must differ from zero; false where zero is a proper value, as with numbers. */
  readonly mustDiffer: boolean;
  /** Whether JSON null is a value of this type; elsewhere it means "not set". */
  readonly takesNull: boolean;
  fromJson(json: unknown, violations: Violations): T | undefined;
  /** Not there for types that cannot be query parameters. */
  fromText?(text: string, violations: Violations): T | undefined;
  write(value: T, writer: ProtoWriter): void;
  read(reader: ProtoReader, violations: Violations): T | undefined;
}
