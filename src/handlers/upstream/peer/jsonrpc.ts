/** The JSON-RPC binding (1.0: spec 9; 0.3: spec 3.2.1). */
import { randomUUID } from "node:crypto";
import type { ClientDialect } from "../../../wire/client.ts";
import { fieldsOf, isFields, wrong } from "../../fields.ts";
import type { HttpBinding } from "./http-binding.ts";

export function jsonrpcBinding(url: URL, { jsonrpc }: ClientDialect): HttpBinding {
  const path = url.pathname + url.search;
  return {
    begin(operation, request) {
      const id = randomUUID();
      const method = jsonrpc.methodOf(operation);
      const params = jsonrpc.encode(operation, request);
      return {
        method: "POST",
        path,
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
        read(json) {
          const { id: answered, error, result } = fieldsOf(json, "");
          const isError = error !== undefined && error !== null;
          // An agent that could not read the id answers with null (JSON-RPC 2.0, section 5).
          if (answered !== id && !(isError && (answered ?? null) === null))
            throw wrong("id", "not that of the request");
          if (isError) throw jsonrpc.errorOf(error);
          if (result === undefined) throw wrong("", "neither result nor error");
          return jsonrpc.decode(operation, result);
        },
        errorOf(_status, json) {
          const error = isFields(json) ? json["error"] : undefined;
          return isFields(error) ? jsonrpc.errorOf(error) : undefined;
        },
      };
    },
  };
}
