/** Messages, artifacts and their parts, as far as possible made when the handler is created. */
import type { HandlerArtifact, HandlerMessage } from "../../core/ports/handler.ts";
import type { Part } from "../../protocol/model.ts";
import { SettingError } from "../../setting-error.ts";
import type {
  StaticArtifact,
  StaticContent,
  StaticFile,
  StaticMessage,
  StaticPart,
} from "./config.ts";
import { fixed, given, listOf, mapped, objectOf, type Rendered } from "./rendered.ts";
import { jsonTemplate, template, type Place } from "./template.ts";

export function messageOf(config: string | StaticMessage, place: Place): Rendered<HandlerMessage> {
  const message = typeof config === "string" ? { text: config } : config;
  return objectOf<HandlerMessage>({
    parts: partsOf(message, place),
    metadata: given(message.metadata),
    extensions: given(message.extensions),
  });
}

/** One artifact, or one chunk of it when `content` is given. */
export function artifactOf(
  config: StaticArtifact,
  id: Rendered<string> | undefined,
  content: StaticContent,
  place: Place,
): Rendered<HandlerArtifact> {
  return objectOf<HandlerArtifact>({
    artifactId: id,
    name: given(config.name),
    description: given(config.description),
    parts: partsOf(content, place),
    metadata: given(config.metadata),
    extensions: given(config.extensions),
  });
}

function partsOf(content: StaticContent, place: Place): Rendered<readonly Part[]> {
  const { text, file, data, parts = [] } = content;
  const all = [
    ...(text === undefined ? [] : [{ text }]),
    ...(file === undefined ? [] : [{ file }]),
    ...(data === undefined ? [] : [{ data }]),
    ...parts,
  ];
  if (all.length === 0) throw new SettingError(place.path, "expected text, file, data or parts");
  return listOf(all.map((part) => partOf(part, place)));
}

function partOf(part: StaticPart, place: Place): Rendered<Part> {
  const { text, data, file } = part;
  if ([text, data, file].filter((content) => content !== undefined).length !== 1)
    throw new SettingError(place.path, "expected exactly one of text, file and data");
  if (file !== undefined) return fileOf(file, part, place);
  return objectOf<Part>({
    ...(text !== undefined && { text: template(text, place) }),
    ...(data !== undefined && { data: jsonTemplate(data, place) }),
    mediaType: given(part.mediaType),
    metadata: given(part.metadata),
  });
}

function fileOf(file: StaticFile, part: StaticPart, place: Place): Rendered<Part> {
  const { base64, text, url } = file;
  if ([base64, text, url].filter((content) => content !== undefined).length !== 1)
    throw new SettingError(place.path, "expected exactly one of base64, text and url in the file");
  return objectOf<Part>({
    ...(base64 !== undefined && { raw: fixed(checkedBase64(base64, place)) }),
    ...(text !== undefined && { raw: mapped(template(text, place), base64Of) }),
    ...(url !== undefined && { url: template(url, place) }),
    filename: given(file.name),
    mediaType: given(file.mediaType ?? part.mediaType),
    metadata: given(part.metadata),
  });
}

function checkedBase64(text: string, place: Place): string {
  if (Buffer.from(text, "base64").toString("base64") !== text)
    throw new SettingError(place.path, "the file's base64 is not standard base64");
  return text;
}

function base64Of(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
