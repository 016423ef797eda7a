/** Where 0.3 wants to be called back (spec 0.3, 6.8 to 6.10). */
import type { AuthenticationInfo, TaskPushNotificationConfig } from "../../../protocol/model.ts";
import { stringType } from "../../schema/scalars.ts";
import {
  filledText,
  listOf,
  members,
  optional,
  put,
  required,
  textOf,
  type Read,
} from "./decode-fields.ts";
import type { Draft } from "../draft.ts";

export const readPushConfig: Read<TaskPushNotificationConfig> = (json, violations) => {
  const config = members(json, violations);
  if (config === undefined) return undefined;
  const model: Draft<TaskPushNotificationConfig> = {
    url: required(config, "url", filledText, violations) ?? "",
  };
  put(model, "id", textOf(config, "id", violations));
  put(model, "token", textOf(config, "token", violations));
  put(model, "authentication", optional(config, "authentication", readAuthentication, violations));
  return model;
};

const schemes = listOf(stringType.fromJson);

/** 1.0 has one scheme: the first. Without any there is nothing that credentials could be sent with. */
const readAuthentication: Read<AuthenticationInfo> = (json, violations) => {
  const authentication = members(json, violations);
  if (authentication === undefined) return undefined;
  const [scheme = ""] = required(authentication, "schemes", schemes, violations) ?? [];
  const credentials = textOf(authentication, "credentials", violations);
  if (scheme !== "") return credentials === undefined ? { scheme } : { scheme, credentials };
  if (credentials !== undefined && !violations.lenient)
    violations.add("must name the scheme of the credentials", "schemes");
  return undefined;
};
