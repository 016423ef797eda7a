/** Who may do what: the policies of the access section. */
import { z } from "zod";
import { isOfSends, OPERATION_WORDS } from "../access/policy/operations.ts";
import { filledText, flag, listOf, mapping, oneOf, text } from "./fields.ts";
import { atLeastOne } from "./one-of.ts";
import { some } from "./some.ts";

const claimValue = z.union([text, z.number(), z.boolean()], {
  error: "expected text, a number, true or false",
});

const claims = z
  .record(
    z.string(),
    z.union([claimValue, some(claimValue)], {
      error: "expected text, a number, true or false, or a list of these",
    }),
    { error: "expected a mapping of claims to values" },
  )
  .check(
    z.refine((value) => Object.keys(value).length > 0, { error: "expected at least one claim" }),
  );

const WHO = ["principals", "tenants", "scopes", "claims", "anonymous"] as const;

/** Whom something is about. */
export const who = mapping({
  principals: some(filledText).exactOptional(),
  tenants: some(text).exactOptional(),
  scopes: some(filledText).exactOptional(),
  claims: claims.exactOptional(),
  anonymous: flag.exactOptional(),
}).check(
  atLeastOne(WHO),
  z.refine(({ anonymous, ...named }) => anonymous !== true || Object.keys(named).length === 0, {
    path: ["anonymous"],
    error: "expected true only without other keys: callers without credentials have none of these",
  }),
);

const policy = mapping({
  who,
  agents: some(filledText).exactOptional(),
  operations: some(oneOf(OPERATION_WORDS)).exactOptional(),
  skills: some(filledText).exactOptional(),
  effect: oneOf(["allow", "deny"]).prefault("allow"),
}).check(({ value, issues }) => {
  if (value.skills === undefined) return;
  for (const [index, word] of (value.operations ?? []).entries())
    if (!isOfSends(word))
      issues.push({
        code: "custom",
        message: "expected only operations that send beside skills",
        path: ["operations", index],
        input: value,
      });
});

export const policies = listOf(policy);

type Policies = z.output<typeof policies>;

/** The settings of the access section that policies have to fit. */
interface Surroundings {
  readonly mode: "off" | "optional" | "required";
  readonly authenticators: readonly object[];
  readonly policies: Policies;
}

/** Policies in a section where they could not mean what they say. */
export const fittingPolicies = z.core._check<Surroundings>(({ value, issues }) => {
  const { mode, authenticators, policies: all } = value;
  if (mode === "off" && all.length > 0)
    issues.push({
      code: "custom",
      message: "expected only where mode is optional or required",
      path: ["policies"],
      input: value,
    });
  if (!namesTenants(authenticators)) return;
  for (const [index, { who: whom }] of all.entries())
    if (whom.principals !== undefined && whom.tenants === undefined)
      issues.push({
        code: "custom",
        message: "expected tenants beside principals, since callers have tenants here",
        path: ["policies", index, "who"],
        input: value,
      });
});

/** Whether somebody that authenticators recognise is of a tenant. */
export function namesTenants(settings: unknown): boolean {
  if (Array.isArray(settings)) return settings.some(namesTenants);
  if (typeof settings !== "object" || settings === null) return false;
  return Object.entries(settings).some(
    ([key, value]) => key === "tenant" || key === "tenantClaim" || namesTenants(value),
  );
}
