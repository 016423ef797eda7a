/** Parts (spec 0.3, 6.5): what 1.0 has in one message, 0.3 has in three, and data is always an object. */
import type { Part } from "../../protocol/model.ts";
import { unwrapped, wrapped } from "./data-parts.ts";
import type { ProtoFilePart, ProtoPart } from "./proto-model.ts";
import type { Draft } from "./draft.ts";

/** A text or data part has no room for a file name and a media type: they are left out. */
export function protoPartOf(part: Part): ProtoPart {
  const { text, raw, url, metadata } = part;
  if (text !== undefined) return metadata === undefined ? { text } : { text, metadata };
  if (raw !== undefined || url !== undefined) {
    const file = protoFileOf(part);
    return metadata === undefined ? { file } : { file, metadata };
  }
  const object = wrapped(part.data ?? null, metadata);
  const data = { data: object.data };
  return object.metadata === undefined ? { data } : { data, metadata: object.metadata };
}

function protoFileOf({ raw, url, mediaType, filename }: Part): ProtoFilePart {
  const file: Draft<ProtoFilePart> = {};
  if (url !== undefined) file.fileWithUri = url;
  else if (raw !== undefined) file.fileWithBytes = raw;
  if (mediaType !== undefined) file.mimeType = mediaType;
  if (filename !== undefined) file.name = filename;
  return file;
}

/** A part without content, which only a lenient reader lets through, is an empty text. */
export function partOf({ text, file, data, metadata }: ProtoPart): Part {
  if (file !== undefined) return filePartOf(file, metadata);
  if (data !== undefined) return unwrapped(data.data, metadata);
  return metadata === undefined ? { text: text ?? "" } : { text: text ?? "", metadata };
}

function filePartOf(file: ProtoFilePart, metadata: Part["metadata"]): Part {
  const part: Draft<Part> = {};
  if (file.fileWithUri !== undefined) part.url = file.fileWithUri;
  else part.raw = file.fileWithBytes ?? "";
  if (metadata !== undefined) part.metadata = metadata;
  if (file.name !== undefined) part.filename = file.name;
  if (file.mimeType !== undefined) part.mediaType = file.mimeType;
  return part;
}
