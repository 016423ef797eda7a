/**
 * The objects of 0.3 in their JSON form, told apart by `kind` (spec 0.3, 6). Members that are undefined are absent:
 * these objects are made to be written as JSON.
 */
import type { JsonObject } from "../../../protocol/json.ts";
import type { LegacyRole, LegacyTaskState } from "../states.ts";

export interface LegacyFile {
  readonly bytes?: string | undefined;
  readonly uri?: string | undefined;
  readonly mimeType: string | undefined;
  readonly name: string | undefined;
}

export type LegacyPart =
  | { readonly kind: "text"; readonly text: string; readonly metadata: JsonObject | undefined }
  | { readonly kind: "file"; readonly file: LegacyFile; readonly metadata: JsonObject | undefined }
  | { readonly kind: "data"; readonly data: JsonObject; readonly metadata: JsonObject | undefined };

export interface LegacyMessage {
  readonly kind: "message";
  readonly messageId: string;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
  readonly role: LegacyRole;
  readonly parts: readonly LegacyPart[];
  readonly metadata: JsonObject | undefined;
  readonly extensions: readonly string[] | undefined;
  readonly referenceTaskIds: readonly string[] | undefined;
}

export interface LegacyArtifact {
  readonly artifactId: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly parts: readonly LegacyPart[];
  readonly metadata: JsonObject | undefined;
  readonly extensions: readonly string[] | undefined;
}

export interface LegacyTaskStatus {
  readonly state: LegacyTaskState;
  readonly message: LegacyMessage | undefined;
  readonly timestamp: string | undefined;
}

export interface LegacyTask {
  readonly kind: "task";
  readonly id: string;
  readonly contextId: string;
  readonly status: LegacyTaskStatus;
  readonly history: readonly LegacyMessage[] | undefined;
  readonly artifacts: readonly LegacyArtifact[] | undefined;
  readonly metadata: JsonObject | undefined;
}

export interface LegacyStatusUpdate {
  readonly kind: "status-update";
  readonly status: LegacyTaskStatus;
  readonly taskId: string;
  readonly contextId: string;
  readonly metadata: JsonObject | undefined;
}

export interface LegacyArtifactUpdate {
  readonly kind: "artifact-update";
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: LegacyArtifact;
  readonly append: boolean | undefined;
  readonly lastChunk: boolean | undefined;
  readonly metadata: JsonObject | undefined;
}

export interface LegacyPushNotificationConfig {
  readonly id: string | undefined;
  readonly url: string;
  readonly token: string | undefined;
  readonly authentication:
    { readonly schemes: readonly string[]; readonly credentials: string | undefined } | undefined;
}

export interface LegacyTaskPushNotificationConfig {
  readonly taskId: string;
  readonly pushNotificationConfig: LegacyPushNotificationConfig;
}
