/**
 * The messages of the A2A 0.3 protobuf in their ProtoJSON shapes, as far as they differ from those of 1.0. HTTP+JSON
 * writes them as they are here; gRPC writes the same messages as protobuf. Fields are absent when they are not set.
 */
import type { JsonObject } from "../../protocol/json.ts";
import type { TaskState } from "../../protocol/states.ts";
import type { Role } from "../../protocol/model.ts";

/** The 1.0 names but one: 0.3 spells CANCELED with two l. */
export type ProtoTaskState = Exclude<TaskState, "TASK_STATE_CANCELED"> | "TASK_STATE_CANCELLED";

/** Exactly one of text, file and data is there. */
export interface ProtoPart {
  readonly text?: string;
  readonly file?: ProtoFilePart;
  readonly data?: { readonly data: JsonObject };
  readonly metadata?: JsonObject;
}

/** One of fileWithUri and fileWithBytes (standard base64) is there. */
export interface ProtoFilePart {
  readonly fileWithUri?: string;
  readonly fileWithBytes?: string;
  readonly mimeType?: string;
  readonly name?: string;
}

export interface ProtoMessage {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: Role;
  readonly content: readonly ProtoPart[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

export interface ProtoArtifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly ProtoPart[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

export interface ProtoTaskStatus {
  readonly state: ProtoTaskState;
  readonly message?: ProtoMessage;
  readonly timestamp?: string;
}

export interface ProtoTask {
  readonly id: string;
  readonly contextId?: string;
  readonly status: ProtoTaskStatus;
  readonly artifacts?: readonly ProtoArtifact[];
  readonly history?: readonly ProtoMessage[];
  readonly metadata?: JsonObject;
}

export interface ProtoStatusUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: ProtoTaskStatus;
  readonly final?: boolean;
  readonly metadata?: JsonObject;
}

export interface ProtoArtifactUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: ProtoArtifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
}

export interface ProtoPushConfig {
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: {
    readonly schemes?: readonly string[];
    readonly credentials?: string;
  };
}

export interface ProtoTaskPushConfig {
  readonly name?: string;
  readonly pushNotificationConfig: ProtoPushConfig;
}

export interface ProtoSendConfiguration {
  readonly acceptedOutputModes?: readonly string[];
  readonly pushNotification?: ProtoPushConfig;
  readonly historyLength?: number;
  readonly blocking?: boolean;
}

export interface ProtoSendRequest {
  readonly message: ProtoMessage;
  readonly configuration?: ProtoSendConfiguration;
  readonly metadata?: JsonObject;
}

/** Of GetTask, CancelTask, TaskSubscription and of one push config. */
export interface ProtoNameRequest {
  readonly name: string;
}

export interface ProtoGetTaskRequest extends ProtoNameRequest {
  readonly historyLength?: number;
}

export interface ProtoCreatePushConfigRequest {
  readonly parent: string;
  readonly configId?: string;
  readonly config: ProtoTaskPushConfig;
}

export interface ProtoListPushConfigsRequest {
  readonly parent: string;
  readonly pageSize?: number;
  readonly pageToken?: string;
}

export type ProtoSendResponse = { readonly task: ProtoTask } | { readonly message: ProtoMessage };

export type ProtoStreamResponse =
  | { readonly task: ProtoTask }
  | { readonly message: ProtoMessage }
  | { readonly statusUpdate: ProtoStatusUpdate }
  | { readonly artifactUpdate: ProtoArtifactUpdate };

export interface ProtoListPushConfigsResponse {
  readonly configs: readonly ProtoTaskPushConfig[];
  readonly nextPageToken?: string;
}
