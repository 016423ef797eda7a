/** What is left of an object of the model after it went through the 0.3 protobuf: what 0.3 cannot say is gone. */
import type { Artifact, Message, Part, Task } from "../../../src/protocol/model.ts";

export function readable(task: Task): Task {
  const { status, artifacts, history } = task;
  return {
    ...task,
    status: {
      ...status,
      ...(status.message && { message: readableMessage(status.message) }),
    },
    ...(artifacts && { artifacts: artifacts.map(readableArtifact) }),
    ...(history && { history: history.map(readableMessage) }),
  };
}

export function readableMessage({ referenceTaskIds: _, ...message }: Message): Message {
  return { ...message, parts: message.parts.map(readablePart) };
}

function readableArtifact(artifact: Artifact): Artifact {
  return { ...artifact, parts: artifact.parts.map(readablePart) };
}

function readablePart(part: Part): Part {
  const { text, raw, url, data, metadata } = part;
  if (raw !== undefined || url !== undefined) return part;
  if (text !== undefined) return metadata === undefined ? { text } : { text, metadata };
  const content = { data: data ?? null };
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  // The mark of a wrapped value shares the metadata: empty metadata beside it is not told from none.
  const isGone = metadata === undefined || (!isObject && Object.keys(metadata).length === 0);
  return isGone ? content : { ...content, metadata };
}
