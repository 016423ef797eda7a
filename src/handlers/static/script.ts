/** A script taken apart into steps that only have to be rendered. */
import type { HandlerEvent } from "../../core/ports/handler.ts";
import { A2AError } from "../../protocol/errors.ts";
import { failed } from "../failed.ts";
import { REASON_OF, STATE_OF } from "../names.ts";
import { SettingError } from "../../setting-error.ts";
import { newArtifactId } from "../text-artifact.ts";
import type {
  StaticArtifact,
  StaticContent,
  StaticReply,
  StaticStatusStep,
  StaticStep,
} from "./config.ts";
import { artifactOf, messageOf } from "./content.ts";
import { fixed, given, made, mapped, objectOf, type Rendered } from "./rendered.ts";
import { template, type Place } from "./template.ts";

export type Step =
  | { readonly kind: "event"; readonly event: Rendered<HandlerEvent> }
  | { readonly kind: "delay"; readonly milliseconds: number }
  | { readonly kind: "error"; readonly error: Rendered<A2AError> };

type EventOf<K extends HandlerEvent["kind"]> = Extract<HandlerEvent, { readonly kind: K }>;

/** Throws an Error with the place of what is wrong. */
export function stepsOf(reply: StaticReply, place: Place): readonly Step[] {
  if (reply.message !== undefined) {
    const message = messageOf(reply.message, within(place, "message"));
    return [eventStep(objectOf<EventOf<"message">>({ kind: fixed("message"), message }))];
  }
  const scripted = reply.script;
  return scripted.flatMap((step, index) => {
    const chunkedBefore = scripted.slice(0, index).filter(isChunkedWithoutId).length;
    return stepOf(step, chunkedBefore, within(place, `script[${index}]`));
  });
}

function stepOf(step: StaticStep, ordinal: number, place: Place): readonly Step[] {
  if ("status" in step) return [statusStep(step, place)];
  if ("artifact" in step) return artifactSteps(step.artifact, ordinal, within(place, "artifact"));
  if ("delay" in step) return [{ kind: "delay", milliseconds: step.delay }];
  if ("fail" in step)
    return [eventStep(mapped(template(step.fail, within(place, "fail")), failed))];
  const { name, message } = step.error;
  const error = mapped(
    template(message, within(place, "error")),
    (text) => new A2AError(REASON_OF[name], text),
  );
  return [{ kind: "error", error }];
}

function statusStep(step: StaticStatusStep, place: Place): Step {
  const { message } = step;
  return eventStep(
    objectOf<EventOf<"status">>({
      kind: fixed("status"),
      state: fixed(STATE_OF[step.status]),
      ...(message !== undefined && { message: messageOf(message, within(place, "message")) }),
      metadata: given(step.metadata),
    }),
  );
}

function artifactSteps(artifact: StaticArtifact, ordinal: number, place: Place): readonly Step[] {
  const { id, append, lastChunk, chunks } = artifact;
  if (append && id === undefined) throw new SettingError(place.path, "append needs an id");
  if (chunks === undefined)
    return [artifactStep(artifact, { id: given(id), content: artifact, append, lastChunk }, place)];
  const chunkId = given(id) ?? made(({ turn }) => newArtifactId(turn, ordinal));
  return chunks.flatMap((chunk, index): readonly Step[] => {
    const content = typeof chunk === "string" ? { text: chunk } : chunk;
    const isFirst = index === 0;
    const isLast = index === chunks.length - 1;
    const step = artifactStep(
      artifact,
      {
        id: chunkId,
        content,
        append: isFirst ? append : true,
        lastChunk: isLast ? (lastChunk ?? true) : isFirst ? false : undefined,
      },
      within(place, `chunks[${index}]`),
    );
    const milliseconds = artifact.chunkDelay ?? 0;
    return isFirst || milliseconds === 0 ? [step] : [{ kind: "delay", milliseconds }, step];
  });
}

interface Chunk {
  readonly id: Rendered<string> | undefined;
  readonly content: StaticContent;
  readonly append: boolean | undefined;
  readonly lastChunk: boolean | undefined;
}

function artifactStep(config: StaticArtifact, chunk: Chunk, place: Place): Step {
  return eventStep(
    objectOf<EventOf<"artifact">>({
      kind: fixed("artifact"),
      artifact: artifactOf(config, chunk.id, chunk.content, place),
      append: given(chunk.append),
      lastChunk: given(chunk.lastChunk),
    }),
  );
}

function eventStep(event: Rendered<HandlerEvent>): Step {
  return { kind: "event", event };
}

function isChunkedWithoutId(step: StaticStep): boolean {
  return "artifact" in step && step.artifact.chunks !== undefined && step.artifact.id === undefined;
}

function within(place: Place, member: string): Place {
  return { ...place, path: `${place.path}.${member}` };
}
