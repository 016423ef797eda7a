/**
 * Where the fields of a push config stand in a request of 0.3. What is checked behind the codecs is named as in 1.0, and
 * the message, where 0.3 alone names fields, has to name them as the caller wrote them.
 */
import { invalidParams, type A2AError } from "../../protocol/errors.ts";

export interface PushPaths {
  /** Of a config that is set. */
  readonly set: string;
  /** Of one that comes with a message. */
  readonly sent: string;
}

export const KIND_PATHS: PushPaths = {
  set: "pushNotificationConfig",
  sent: "configuration.pushNotificationConfig",
};

export const PROTO_PATHS: PushPaths = {
  set: "config.pushNotificationConfig",
  sent: "configuration.pushNotification",
};

const SENT = "configuration.taskPushNotificationConfig";
/** No request of 0.3 has one of these at its top: they are of a config that is set. */
const SET = /^(?:url|token|authentication)(?:\.|$)/;

/** The message of an error, in the terms of 0.3 where it names a field of a push config. */
export function textWithPaths({ message, violations }: A2AError, paths: PushPaths): string {
  const [first] = violations;
  if (first === undefined || !message.startsWith(`${first.field}: `)) return message;
  const field = fieldOf(first.field, paths);
  if (field === first.field) return message;
  return invalidParams([{ ...first, field }, ...violations.slice(1)]).message;
}

function fieldOf(field: string, { set, sent }: PushPaths): string {
  const isSent = field === SENT || field.startsWith(`${SENT}.`);
  if (!isSent && !SET.test(field)) return field;
  const own = isSent ? sent + field.slice(SENT.length) : `${set}.${field}`;
  // 0.3 has a list of schemes, of which the first counts.
  return own.replace(/\.authentication\.scheme$/, ".authentication.schemes[0]");
}
