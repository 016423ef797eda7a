/** Tells one event to one webhook, once. */
import type { Clock } from "../core/ports/clock.ts";
import type { Delivery, Outcome, PushConfig } from "../core/ports/push-store.ts";
import type { Notice } from "../core/ports/webhooks.ts";
import type { AddressGuard } from "./address-guard.ts";
import { attemptOf, deliveryIdOf, headersOf } from "./headers.ts";
import { bodyOf } from "./notice.ts";
import { parsedUrl } from "./parsed-url.ts";
import { openPoster } from "./post.ts";
import { outcomeOfAnswer, outcomeOfFailure, type Try } from "./retry.ts";
import { placesPerHost, type PushSettings } from "./settings.ts";
import { SIGNATURE_HEADER, signatureOf, type JwtSigner } from "./signature.ts";

export interface SenderParts {
  readonly settings: PushSettings;
  readonly guard: AddressGuard;
  /** Undefined: deliveries are not signed. */
  readonly signer: JwtSigner | undefined;
  /** Certificates in PEM that are trusted beside those that Node knows. */
  readonly ca: string | undefined;
  readonly clock: Pick<Clock, "now">;
  /** From 0 to 1. */
  readonly random: () => number;
}

export interface Told {
  readonly config: PushConfig;
  readonly delivery: Delivery;
  readonly notice: Notice;
  readonly signal: AbortSignal;
}

export interface Sender {
  /** Resolves when nothing more is sent, within the time that a try may take; undefined when it was aborted. */
  send(told: Told): Promise<Outcome | undefined>;
  /** What follows from a try that failed before anything was sent. */
  failed(delivery: Delivery, problem: string): Outcome;
  close(): void;
}

export function openSender({ settings, guard, signer, ca, clock, random }: SenderParts): Sender {
  const { timeout } = settings;
  const connectionsPerHost = placesPerHost(settings);
  const poster = openPoster({ lookup: guard.lookup, timeout, connectionsPerHost, ca });

  const tried = (delivery: Delivery): Try => ({
    attempt: attemptOf(delivery),
    now: clock.now(),
    random: random(),
  });

  return {
    async send({ config, delivery, notice, signal }) {
      const url = parsedUrl(config.url);
      if (url === undefined) return { kind: "dead", problem: "the URL cannot be read" };
      // The rules may have changed since the config was registered.
      const refusal = guard.refusalOf(url);
      if (refusal !== undefined) return { kind: "dead", problem: `the URL ${refusal}` };
      const { contentType, text } = bodyOf(notice);
      const headers = headersOf(config, delivery);
      headers["Content-Type"] = contentType;
      if (signer !== undefined)
        headers[SIGNATURE_HEADER] = signatureOf(signer, {
          deliveryId: deliveryIdOf(config, delivery),
          attempt: attemptOf(delivery),
          taskId: config.taskId,
          url: config.url,
          body: text,
          now: clock.now(),
        });
      const reply = await poster.post({ url, headers, body: text, signal });
      switch (reply.kind) {
        case "answered":
          return outcomeOfAnswer(reply, tried(delivery), settings);
        case "failed":
          return outcomeOfFailure(reply.problem, tried(delivery), settings);
        case "refused":
          return { kind: "dead", problem: reply.problem };
        case "aborted":
          return undefined;
      }
    },
    failed: (delivery, problem) => outcomeOfFailure(problem, tried(delivery), settings),
    close: () => poster.close(),
  };
}
