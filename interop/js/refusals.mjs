/** What the SDK makes of an error. */
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";

/** The gRPC statuses of 0.3, which has no details that this SDK could make a type of. */
const STATUSES = new Map([
  [TaskNotFoundError, 5],
  [TaskNotCancelableError, 9],
  [PushNotificationNotSupportedError, 12],
  [UnsupportedOperationError, 12],
  [ContentTypeNotSupportedError, 3],
  [RequestMalformedError, 3],
]);

/** For assert.rejects: an error that is of that type, as far as the SDK says so on that binding in that version. */
export function errorOf({ binding, version }) {
  return (type) => {
    if (version === "1.0") return type;
    if (binding === "GRPC") return (thrown) => thrown.status === STATUSES.get(type);
    // The error of an event is hidden in the cause.
    return (thrown) => thrown instanceof type || thrown.cause instanceof type;
  };
}
