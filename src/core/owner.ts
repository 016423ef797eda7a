/** Whose tasks are whose. */
import type { Principal } from "../protocol/principal.ts";
import { COUNTED_TOGETHER, countedAs } from "./ports/usage.ts";

/** Who sees the tasks of an agent beside whoever made them: nobody, everybody of the tenant, everybody. */
export type Sharing = "none" | "tenant" | "everyone";

/**
 * The owner of a principal's tasks: different for any two pairs of tenant and id, the same for ever, empty for `none`.
 * It is `id` or `tenant/id`, with `%` and `/` within them percent-encoded. Neither is ever empty there, so that what
 * begins or ends with a slash is free for the anonymous, and for tasks that are shared.
 */
export function ownerOf(
  { id, tenant, method }: Pick<Principal, "id" | "tenant" | "method">,
  sharing: Sharing,
): string {
  if (method === "none") return "";
  if (method === "operator") return id;
  switch (sharing) {
    case "everyone":
      return "/everyone";
    case "tenant":
      // Whoever came without credentials belongs to no tenant, not to that of all who have none.
      if (method === "anonymous") return ownerOf({ id, tenant, method }, "none");
      return tenant === "" ? "/no-tenant" : `${escaped(tenant)}/`;
    case "none":
      if (method === "anonymous") return id === "" ? "/anonymous" : `${COUNTED_TOGETHER}${id}`;
      return tenant === "" ? escaped(id) : `${escaped(tenant)}/${escaped(id)}`;
  }
}

/** Under which name a principal is counted where there are limits: all who came without credentials are one. */
export function callerOf(principal: Pick<Principal, "id" | "tenant" | "method">): string {
  return countedAs(ownerOf(principal, "none"));
}

/** The tenant and the id of an owner, as far as it tells them: what is shared has no id. */
export function namesOf(owner: string): { readonly tenant: string; readonly id: string } {
  if (owner === "" || owner.startsWith("/")) return { tenant: "", id: "" };
  const [first = "", second] = owner.split("/").map(decodeURIComponent);
  return second === undefined ? { tenant: "", id: first } : { tenant: first, id: second };
}

const SPECIAL = /[%/]/;

function escaped(name: string): string {
  if (!SPECIAL.test(name)) return name;
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}
