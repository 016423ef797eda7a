/** Errors as 0.3 writes them (spec 0.3, 8): a code and a message, and none of the details of google.rpc. */
import { ERRORS, type A2AError, type ErrorReason } from "../../protocol/errors.ts";
import { headerText } from "../header-text.ts";
import { KIND_PATHS, PROTO_PATHS, textWithPaths, type PushPaths } from "./push-paths.ts";
import type { GrpcFailure, RestFailure, RpcFailure } from "../dialect.ts";

export function rpcFailure(error: A2AError): RpcFailure {
  return { code: ERRORS[legacyReasonOf(error)].jsonrpc, message: messageOf(error, KIND_PATHS) };
}

/**
 * 0.3 leaves the body open. The JavaScript client reads `code` and `message`, the translation to 0.3 in the Python one
 * `type`, the Java one the name of its own class from `error`; all others look at the status only.
 */
export function restFailure(error: A2AError): RestFailure {
  const reason = legacyReasonOf(error);
  const name = NAMES[reason];
  const { jsonrpc: code, http } = ERRORS[reason];
  return {
    status: STATUSES[reason] ?? http,
    body: {
      code,
      message: messageOf(error, PROTO_PATHS),
      ...(name !== undefined && { type: name, error: `io.a2a.spec.${name}` }),
    },
  };
}

/** Clients tell errors apart by the status, the Python ones by the name before the message. */
export function grpcFailure(error: A2AError): GrpcFailure {
  const reason = legacyReasonOf(error);
  const name = NAMES[reason];
  const message = messageOf(error, PROTO_PATHS);
  return {
    code: GRPC_CODES[reason] ?? ERRORS[reason].grpc,
    message: headerText(name === undefined ? message : `${name}: ${message}`),
  };
}

/** What 0.3 has no code for is an operation that it does not support. */
function legacyReasonOf({ reason }: A2AError): ErrorReason {
  return reason === "EXTENSION_SUPPORT_REQUIRED" || reason === "VERSION_NOT_SUPPORTED"
    ? "UNSUPPORTED_OPERATION"
    : reason;
}

/** The message is all there is: it begins as the specification words the error, and tells the supported versions. */
function messageOf(error: A2AError, paths: PushPaths): string {
  const { supportedVersions } = error.metadata;
  const words = WORDS[legacyReasonOf(error)];
  const text = textWithPaths(error, paths);
  const message = words === undefined ? text : `${words}: ${text}`;
  return supportedVersions === undefined
    ? message
    : `${message} (supported: ${supportedVersions.split(",").join(", ")})`;
}

/** The messages of spec 0.3, 8.2, by which some clients tell errors apart. */
export const WORDS: Readonly<Partial<Record<ErrorReason, string>>> = {
  TASK_NOT_FOUND: "Task not found",
  TASK_NOT_CANCELABLE: "Task cannot be canceled",
  PUSH_NOTIFICATION_NOT_SUPPORTED: "Push Notification is not supported",
  UNSUPPORTED_OPERATION: "This operation is not supported",
  CONTENT_TYPE_NOT_SUPPORTED: "Incompatible content types",
  INVALID_AGENT_RESPONSE: "Invalid agent response type",
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: "Authenticated Extended Card not configured",
};

/** The names of spec 0.3, 8.2 and of the error types beside it. */
export const NAMES: Readonly<Partial<Record<ErrorReason, string>>> = {
  TASK_NOT_FOUND: "TaskNotFoundError",
  TASK_NOT_CANCELABLE: "TaskNotCancelableError",
  PUSH_NOTIFICATION_NOT_SUPPORTED: "PushNotificationNotSupportedError",
  UNSUPPORTED_OPERATION: "UnsupportedOperationError",
  CONTENT_TYPE_NOT_SUPPORTED: "ContentTypeNotSupportedError",
  UNSUPPORTED_MEDIA_TYPE: "ContentTypeNotSupportedError",
  INVALID_AGENT_RESPONSE: "InvalidAgentResponseError",
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: "AuthenticatedExtendedCardNotConfiguredError",
  PARSE_ERROR: "JSONParseError",
  INVALID_REQUEST: "InvalidRequestError",
  METHOD_NOT_FOUND: "MethodNotFoundError",
  INVALID_PARAMS: "InvalidParamsError",
  INTERNAL_ERROR: "InternalError",
};

/** HTTP statuses that the servers of 0.3 use and 1.0 has changed. */
const STATUSES: Readonly<Partial<Record<ErrorReason, number>>> = {
  TASK_NOT_CANCELABLE: 409,
  CONTENT_TYPE_NOT_SUPPORTED: 415,
  INVALID_AGENT_RESPONSE: 502,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 404,
};

const UNIMPLEMENTED = 12;

/** By UNIMPLEMENTED the clients of 0.3 recognise what an agent does not support. */
const GRPC_CODES: Readonly<Partial<Record<ErrorReason, number>>> = {
  PUSH_NOTIFICATION_NOT_SUPPORTED: UNIMPLEMENTED,
  UNSUPPORTED_OPERATION: UNIMPLEMENTED,
};
