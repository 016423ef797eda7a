/**
 * Canned answers, chosen by rules. In the configuration file:
 *
 *     static:
 *       rules:
 *         - when: { text: ping }
 *           message: pong
 *         - when: { regex: "^weather in (?<city>.+)$", flags: i }
 *           script:
 *             - status: working
 *               message: "Looking up {{match.city}}"
 *             - delay: 500ms
 *             - artifact: { name: forecast, text: "Sunny in {{match.city}}" }
 *             - status: completed
 *       otherwise:
 *         message: "I only know the weather."
 *
 * Every text marked "template" may hold `{{text}}` (the text parts of the message, joined by a newline),
 * `{{messageId}}`, `{{contextId}}`, `{{taskId}}`, `{{data.a.b}}` (that path in the first data part that has it; what is
 * not a text is written as JSON; empty when no part has it) and, in a rule with `regex`, `{{match.0}}` (the whole
 * match), `{{match.1}}` … and `{{match.name}}`. `\{{` writes two braces. Any other variable is refused when the handler
 * is created. What is inserted is never expanded again.
 */
import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import type { ErrorName, ShortState } from "../names.ts";

export interface StaticConfig {
  readonly kind: "static";
  /** Tried in order, the first that matches answers. Default: none. */
  readonly rules?: readonly StaticRule[];
  /** The answer when no rule matches. Default: a task that is rejected, with a message that says so. */
  readonly otherwise?: StaticReply;
}

export type StaticRule = { readonly when: StaticCondition } & StaticReply;

/** What a message must be like. All given members must hold; without any, every message matches. */
export interface StaticCondition {
  /** The whole text of the message: its text parts, joined by a newline. */
  readonly text?: string;
  /** A text that occurs in it. */
  readonly contains?: string;
  /** A regular expression of JavaScript; only the first 10,000 characters of the text are searched. */
  readonly regex?: string;
  /** Flags of `regex`, of `d`, `i`, `m`, `s`, `u`, `v`. Default: none. */
  readonly flags?: string;
  /**
   * A subset of some data part: objects need the members given here, lists as many elements, each matching in turn;
   * everything else must be equal.
   */
  readonly data?: JsonValue;
  /** The start of the messageId. The first rule wins, not the longest prefix: write longer prefixes first. */
  readonly messageIdPrefix?: string;
  readonly contextId?: string;
  /** The state of the task before this message, or `none` for a message that does not continue a task. */
  readonly taskState?: ShortState | "none";
}

/** Exactly one of the two. */
export type StaticReply =
  | {
      /** Answers without a task. A plain text is short for `{ text: … }`. */
      readonly message: string | StaticMessage;
      readonly script?: never;
    }
  | {
      /** Answers with a task and these events. Without a state at the end, it ends as completed. */
      readonly script: readonly StaticStep[];
      readonly message?: never;
    };

/** What messages, artifacts and chunks hold: at least one of text, file, data and parts; they come in this order. */
export interface StaticContent {
  /** Template. */
  readonly text?: string;
  readonly file?: StaticFile;
  /** Any JSON; the texts in it are templates. */
  readonly data?: JsonValue;
  readonly parts?: readonly StaticPart[];
}

/** Exactly one of text, file and data. */
export interface StaticPart {
  /** Template. */
  readonly text?: string;
  readonly file?: StaticFile;
  /** Any JSON; the texts in it are templates. */
  readonly data?: JsonValue;
  /** For text and data; a file has its own. */
  readonly mediaType?: string;
  readonly metadata?: JsonObject;
}

/** Exactly one of base64, text and url. */
export interface StaticFile {
  /** The file's name. */
  readonly name?: string;
  readonly mediaType?: string;
  /** The bytes, in standard base64. */
  readonly base64?: string;
  /** Template; sent as the bytes of its UTF-8 form. */
  readonly text?: string;
  /** Template. */
  readonly url?: string;
}

export interface StaticMessage extends StaticContent {
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

/** Which kind of step it is shows in its first member: status, artifact, delay, error or fail. */
export type StaticStep =
  StaticStatusStep | StaticArtifactStep | StaticDelayStep | StaticErrorStep | StaticFailStep;

export interface StaticStatusStep {
  readonly status: ShortState;
  /** A plain text is short for `{ text: … }`. */
  readonly message?: string | StaticMessage;
  readonly metadata?: JsonObject;
}

export interface StaticArtifactStep {
  readonly artifact: StaticArtifact;
}

/** Either its content, or `chunks`. */
export interface StaticArtifact extends StaticContent {
  /** Needed by `append`. Default: made by the gateway, or for chunks by the handler. */
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** Sent one by one as parts of one artifact; the last is marked. A plain text is short for `{ text: … }`. */
  readonly chunks?: readonly (string | StaticContent)[];
  /** Milliseconds before each chunk but the first. Default 0. */
  readonly chunkDelay?: number;
  /** Adds to the artifact of that id (with chunks: from the first chunk on). Default false. */
  readonly append?: boolean;
  /** Whether this is the end of the artifact. Default: not said; with chunks true on the last. */
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

export interface StaticDelayStep {
  /** Milliseconds. */
  readonly delay: number;
}

/** Ends the script. As the first step it answers the caller with the error, without a task; later it fails the task. */
export interface StaticErrorStep {
  readonly error: {
    readonly name: ErrorName;
    /** Template. */
    readonly message: string;
  };
}

/** Ends the script: the task is failed, with this message (template). */
export interface StaticFailStep {
  readonly fail: string;
}
