/** Posts each turn to a URL; see config.ts. */
import { Agent, request, type Dispatcher } from "undici";
import type { Handler, HandlerEvent, Turn } from "../../core/ports.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { failed } from "../failed.ts";
import { limited } from "../limited.ts";
import { timerDelay } from "../timers.ts";
import { cancelJson, turnJson } from "../turn-json.ts";
import { ACCEPTED, eventsOfAnswer } from "./answer.ts";
import type { HttpConfig } from "./config.ts";
import { lateReason, reasonOf } from "./failure.ts";
import { headersOf } from "./headers.ts";
import { refusalOf } from "./refusal.ts";

const DEFAULTS = {
  connectTimeout: 10_000,
  headTimeout: 60_000,
  idleTimeout: 60_000,
  timeout: 600_000,
  maxAnswer: 16 * 1024 * 1024,
  maxEvent: 4 * 1024 * 1024,
} as const;

const CANCEL_TIMEOUT = 10_000;

/** Throws an Error for an address that cannot be posted to. */
export function createHttpHandler(config: HttpConfig): Handler {
  checkUrl("url", config.url);
  const { cancelUrl } = config;
  if (cancelUrl !== undefined) checkUrl("cancelUrl", cancelUrl);
  const settings = { ...DEFAULTS, ...config };
  const dispatcher = new Agent({
    connect: { timeout: settings.connectTimeout },
    headersTimeout: settings.headTimeout,
    bodyTimeout: settings.idleTimeout,
  });
  return {
    handle: (turn) => answerOf(turn, settings, dispatcher),
    ...(cancelUrl !== undefined && {
      cancel: (turn: Turn, metadata: JsonObject | undefined) =>
        tellCanceled(cancelUrl, cancelJson(turn, metadata), {
          headers: headersOf(turn.headers, config.headers ?? {}, ACCEPTED),
          dispatcher,
        }),
    }),
    close: () => dispatcher.destroy(),
  };
}

async function* answerOf(
  turn: Turn,
  settings: { readonly [K in keyof typeof DEFAULTS]: number } & HttpConfig,
  dispatcher: Dispatcher,
): AsyncGenerator<HandlerEvent> {
  const limit = limitOf(settings.timeout, turn.signal);
  try {
    const { statusCode, headers, body } = await request(settings.url, {
      method: "POST",
      headers: headersOf(turn.headers, settings.headers ?? {}, ACCEPTED),
      body: turnJson(turn),
      signal: limit.signal,
      dispatcher,
    });
    // A body that is dropped half-read reports that as an error, to nobody.
    body.on("error", () => {});
    if (statusCode < 200 || statusCode > 299) return yield await refusalOf(statusCode, body);
    const type = String(headers["content-type"] ?? "");
    yield* eventsOfAnswer(type, limited(body, settings.maxAnswer), settings.maxEvent);
  } catch (thrown) {
    if (turn.signal.aborted) return;
    if (A2AError.is(thrown)) throw thrown;
    yield failed(limit.isPassed() ? lateReason(settings.timeout) : reasonOf(thrown));
  } finally {
    limit.lift();
  }
}

async function tellCanceled(
  url: string,
  text: string,
  to: { readonly headers: Readonly<Record<string, string>>; readonly dispatcher: Dispatcher },
): Promise<void> {
  const { statusCode, body } = await request(url, {
    method: "POST",
    body: text,
    signal: AbortSignal.timeout(CANCEL_TIMEOUT),
    ...to,
  });
  await body.dump();
  if (statusCode > 299) throw new Error(`cancelUrl answered ${statusCode}`);
}

/** A signal that is aborted after a time, or with the turn. Lifting it ends what still uses it. */
function limitOf(timeout: number, turn: AbortSignal) {
  const controller = new AbortController();
  let passed = false;
  const abort = () => controller.abort();
  const onTimeout = () => {
    passed = true;
    abort();
  };
  const timer = timeout > 0 ? setTimeout(onTimeout, timerDelay(timeout)) : undefined;
  turn.addEventListener("abort", abort);
  if (turn.aborted) abort();
  return {
    signal: controller.signal,
    isPassed: () => passed,
    lift: () => {
      clearTimeout(timer);
      turn.removeEventListener("abort", abort);
      abort();
    },
  };
}

function checkUrl(name: string, url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error(`${name}: expected an http or https URL`);
}
