/** Messages (spec 0.3, 6.4): their parts are called content, and other tasks cannot be referred to. */
import type { Message } from "../../protocol/model.ts";
import type { ProtoMessage } from "./proto-model.ts";
import { partOf, protoPartOf } from "./proto-parts.ts";
import type { Draft } from "./draft.ts";

export function protoMessageOf(message: Message): ProtoMessage {
  const { messageId, contextId, taskId, role, parts, metadata, extensions } = message;
  const out: Draft<ProtoMessage> = { messageId, role, content: parts.map(protoPartOf) };
  if (contextId !== undefined) out.contextId = contextId;
  if (taskId !== undefined) out.taskId = taskId;
  if (metadata !== undefined) out.metadata = metadata;
  if (extensions !== undefined) out.extensions = extensions;
  return out;
}

export function messageOf(message: ProtoMessage): Message {
  const { messageId, contextId, taskId, role, content, metadata, extensions } = message;
  const out: Draft<Message> = { messageId, role, parts: content.map(partOf) };
  if (contextId !== undefined) out.contextId = contextId;
  if (taskId !== undefined) out.taskId = taskId;
  if (metadata !== undefined) out.metadata = metadata;
  if (extensions !== undefined) out.extensions = extensions;
  return out;
}
