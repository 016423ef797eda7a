/** The HTTP+JSON binding (1.0: spec 11; 0.3: spec 3.2.3). */
import type { ClientDialect } from "../../../wire/client.ts";
import type { HttpBinding } from "./http-binding.ts";

export function restBinding(url: URL, { rest }: ClientDialect): HttpBinding {
  const root = url.pathname.replace(/\/+$/, "");
  return {
    begin(operation, request) {
      const { method, path, body } = rest.requestOf(operation, request);
      return {
        method,
        path: root + withQuery(path, url.search),
        body,
        read(json, event) {
          const error = rest.errorIn(json, event);
          if (error !== undefined) throw error;
          return rest.decode(operation, json);
        },
        errorOf: (status, json) => rest.errorOf(status, json),
      };
    },
  };
}

/** An interface whose URL has a query of its own, such as a key, keeps it. */
function withQuery(path: string, search: string): string {
  if (search === "") return path;
  return path.includes("?") ? `${path}&${search.slice(1)}` : path + search;
}
