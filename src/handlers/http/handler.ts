/** Posts each turn to a URL; see config.ts. */
import type { Handler, HandlerEvent, Turn } from "../../core/ports/handler.ts";
import type { Log } from "../../core/ports/log.ts";
import { A2AError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { failed } from "../failed.ts";
import { limited } from "../limited.ts";
import { SettingError } from "../../setting-error.ts";
import { startLimit } from "../time-limit.ts";
import { cancelJson, turnJson } from "../turn-json.ts";
import { ACCEPTED, eventsOfAnswer } from "./answer.ts";
import type { HttpConfig } from "./config.ts";
import { openEndpoint, type Endpoint } from "./endpoint.ts";
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
export function createHttpHandler(config: HttpConfig, { log }: { readonly log: Log }): Handler {
  checkUrl("url", config.url);
  const { cancelUrl } = config;
  if (cancelUrl !== undefined) checkUrl("cancelUrl", cancelUrl);
  const settings = { ...DEFAULTS, ...config };
  const patience = {
    connect: settings.connectTimeout,
    head: settings.headTimeout,
    idle: settings.idleTimeout,
  };
  const endpoint = openEndpoint(config.url, patience);
  const canceling = cancelUrl === undefined ? undefined : openEndpoint(cancelUrl, patience);
  return {
    handle: (turn) => answerOf(turn, { settings, endpoint, log }),
    ...(canceling && {
      cancel: (turn: Turn, metadata: JsonObject | undefined) =>
        tellCanceled(canceling, turn, { metadata, headers: config.headers ?? {} }),
    }),
    async close() {
      endpoint.close();
      canceling?.close();
    },
  };
}

interface Exchange {
  readonly settings: { readonly [K in keyof typeof DEFAULTS]: number } & HttpConfig;
  readonly endpoint: Endpoint;
  readonly log: Log;
}

async function* answerOf(
  turn: Turn,
  { settings, endpoint, log }: Exchange,
): AsyncGenerator<HandlerEvent> {
  const exchange = new AbortController();
  const cut = () => exchange.abort();
  const limit = startLimit(settings.timeout, turn.signal, cut);
  try {
    const { status, contentType, body } = await endpoint.post({
      headers: headersOf(turn.headers, settings.headers ?? {}, ACCEPTED),
      body: turnJson(turn),
      signal: exchange.signal,
    });
    const { headers = {} } = settings;
    if (status < 200 || status > 299) return yield await refusalOf({ status, body, headers });
    yield* eventsOfAnswer(contentType, limited(body, settings.maxAnswer), settings.maxEvent);
  } catch (thrown) {
    if (turn.signal.aborted) return;
    if (A2AError.is(thrown)) throw thrown;
    if (limit.isPassed()) return yield failed(lateReason(settings.timeout));
    const reason = reasonOf(thrown);
    if (reason === undefined) throw thrown;
    log.warn({ err: thrown, agent: turn.agent, taskId: turn.taskId }, "the endpoint failed");
    yield failed(reason);
  } finally {
    limit.lift();
    cut();
  }
}

interface CancelInput {
  readonly metadata: JsonObject | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

async function tellCanceled(
  endpoint: Endpoint,
  turn: Turn,
  { metadata, headers }: CancelInput,
): Promise<void> {
  const { status, body } = await endpoint.post({
    headers: headersOf(turn.headers, headers, ACCEPTED),
    body: cancelJson(turn, metadata),
    signal: AbortSignal.timeout(CANCEL_TIMEOUT),
  });
  for await (const _ of body) continue;
  if (status > 299) throw new Error(`cancelUrl answered ${status}`);
}

function checkUrl(name: string, url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "http:" && protocol !== "https:")
    throw new SettingError(name, "expected an http or https URL");
}
