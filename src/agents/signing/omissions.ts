import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import { isObject } from "../../wire/schema/objects.ts";
import { isList } from "./is-list.ts";
import { withoutEmpty } from "./without-empty.ts";

/** Members that say who is let in and where: there, what is empty means something. */
const GUARDED = ["supportedInterfaces", "securitySchemes", "securityRequirements"];

/**
 * What the text without empty members says nothing of, though clients act upon it: a requirement without scopes is
 * empty, and so are a scheme without settings and an interface without an address.
 */
export function omissionsOf(content: JsonObject): readonly string[] {
  const { skills } = content;
  const inSkills = skills !== undefined && isList(skills) && skills.some(isSkillShortened);
  return [
    ...GUARDED.filter((name) => isShortened(content[name])),
    ...(inSkills ? ["skills[].securityRequirements"] : []),
  ];
}

function isSkillShortened(skill: JsonValue): boolean {
  return isObject(skill) && isShortened(skill["securityRequirements"] as JsonValue | undefined);
}

/** An empty list that goes as a whole is missed by nobody. */
function isShortened(value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  return JSON.stringify(withoutEmpty(value) ?? []) !== JSON.stringify(value);
}
