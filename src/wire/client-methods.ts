/** The names of the operations, for who calls them. */
import type { OperationName } from "../protocol/service.ts";
import type { ClientOperation } from "./client.ts";

/** The name of an operation in a dialect's table. Throws for a table that lacks it. */
export function nameIn(
  methods: ReadonlyMap<string, OperationName>,
): (operation: ClientOperation) => string {
  const names = new Map([...methods].map(([name, operation]) => [operation, name]));
  return (operation) => {
    const name = names.get(operation);
    if (name === undefined) throw new Error(`no method for ${operation}`);
    return name;
  };
}
