/** Requests as bytes: most of them framed well, some as no client should. */
import fc, { type Arbitrary } from "fast-check";
import { damage, damaged } from "../../test/support/mutations.ts";
import type { Headers, World } from "./world.ts";

export interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body: Buffer | undefined;
}

export interface HttpShot {
  readonly bytes: Buffer;
  /** Whether one answer comes, after which the connection may be used again. */
  readonly isSound: boolean;
  /** The method of what is asked for; an answer to HEAD has no body. */
  readonly method: string;
}

/** Takes a request to its bytes. */
type Framing = (request: HttpRequest) => Buffer;

const FLOOD = "A: b\r\n".repeat(3_000);

const FRAMINGS: readonly Framing[] = [
  (request) => framed(request, { "Transfer-Encoding": "chunked" }, chunked(bodyOf(request), 1)),
  (request) => framed(request, { "Transfer-Encoding": "chunked" }, chunked(bodyOf(request), 7)),
  (request) => framed(request, { "Transfer-Encoding": "chunked" }, Buffer.from("zz\r\n{}\r\n")),
  (request) =>
    framed(request, { "Transfer-Encoding": "chunked" }, Buffer.from("-1\r\n{}\r\n0\r\n")),
  (request) =>
    framed(request, { "Transfer-Encoding": "chunked" }, Buffer.from("fffffffffffffff0\r\n")),
  (request) =>
    framed(
      request,
      { "Transfer-Encoding": "chunked" },
      Buffer.from('5;a=b\r\n{"a"\r\n0\r\nX: y\r\n\r\n'),
    ),
  (request) => framed(request, { "Transfer-Encoding": "chunked" }, bodyOf(request)),
  (request) =>
    framed(request, { "Transfer-Encoding": "gzip, chunked" }, chunked(bodyOf(request), 99)),
  (request) => framed(request, { "Transfer-Encoding": "identity" }, bodyOf(request)),
  (request) =>
    framed(
      request,
      { "Transfer-Encoding": "chunked", "Content-Length": "4" },
      chunked(bodyOf(request), 9),
    ),
  (request) => framed(request, { "Content-Length": "4\r\nContent-Length: 5" }, bodyOf(request)),
  (request) => framed(request, { "Content-Length": "-1" }, bodyOf(request)),
  (request) => framed(request, { "Content-Length": "1e3" }, bodyOf(request)),
  (request) => framed(request, { "Content-Length": "99999999999999999999" }, bodyOf(request)),
  (request) =>
    framed(request, { "Content-Length": String(bodyOf(request).length + 9) }, bodyOf(request)),
  (request) => framed(request, { "Content-Length": "1" }, bodyOf(request)),
  (request) => framed(request, {}, bodyOf(request)),
  (request) => Buffer.concat([sound(request), sound(request), sound(request)]),
  (request) => sound(request).subarray(0, -1),
  (request) => sound(request).subarray(0, 20),
  (request) => replaced(request, "\r\n", `\r\n${FLOOD}`),
  (request) => replaced(request, "\r\n", `\r\nA: ${"x".repeat(40_000)}\r\n`),
  (request) => replaced(request, "\r\n", "\r\nNonsense\r\n"),
  (request) => replaced(request, "\r\n", "\r\nA: b\0c\r\n"),
  (request) => replaced(request, "\r\n", "\r\n folded\r\n"),
  (request) => replaced(request, "\r\n", "\r\nExpect: 100-continue\r\n"),
  (request) => replaced(request, "\r\n", "\r\nExpect: tea\r\n"),
  (request) =>
    replaced(
      request,
      "\r\n",
      "\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n",
    ),
  (request) => replaced(request, "\r\n", "\r\nHost: other\r\n"),
  (request) => replaced(request, "Host: x\r\n", ""),
  (request) => replaced(request, "Host: x", "Host: \xff@[::"),
  (request) => replaced(request, "HTTP/1.1", "HTTP/1.0"),
  (request) => replaced(request, "HTTP/1.1", "HTTP/9.9"),
  (request) => replaced(request, " HTTP/1.1", ""),
  (request) => Buffer.from(sound(request).toString("latin1").replaceAll("\r\n", "\n"), "latin1"),
];

const METHODS = [
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "BREW",
  "post",
];

const TARGETS: readonly ((target: string) => string)[] = [
  (target) => `http://x${target}`,
  (target) => `HTTP://user@[::1]:1${target}`,
  (target) => `//${target}`,
  (target) => `${target}//`,
  (target) => `${target}%`,
  (target) => `${target}%00%ff`,
  (target) => `/../..${target}`,
  (target) => `${target}?${"a=b&".repeat(2_000)}`,
  (target) => `${target}#x`,
  (target) => `/a2a/other${target}`,
  (target) => `/a2a/nobody${target}`,
  (target) => `/a2a/%2e%2e${target}`,
  (target) => `/other${target}`,
  () => "*",
  () => "x:443",
  () => "/.well-known/agent-card.json",
];

/** Headers whose values are read. */
const HEADERS: readonly Headers[] = [
  { "A2A-Version": "0.3" },
  { "A2A-Version": "1.0" },
  { "A2A-Version": "9.9.9" },
  { "A2A-Version": "x".repeat(2_000) },
  { "A2A-Extensions": ",,https://x,\u00e9" },
  { "X-A2A-Extensions": "https://x" },
  { "Last-Event-ID": "1" },
  { "Last-Event-ID": "-1" },
  { "Last-Event-ID": "99999999999999" },
  { "Last-Event-ID": "1e9" },
  { "Last-Event-ID": "\u00ff" },
  { "Content-Type": "text/plain" },
  { "Content-Type": "application/a2a+json; charset=utf-16" },
  { "Content-Type": ";" },
  { "Content-Encoding": "gzip" },
  { Accept: "text/html" },
  { Origin: "null" },
  { "X-Request-Id": "a b\u00e9" },
  { "X-Forwarded-For": "1.2.3.4, x" },
  { Forwarded: 'for="[::1]:x";host=' },
  { Cookie: "a=b; =; ;;" },
  { "If-None-Match": '"' },
];

/** Requests in their framing, with headers of their own now and then, and what callers bring. */
export function httpShots(
  { credentials }: World,
  requests: Arbitrary<HttpRequest>,
): Arbitrary<HttpShot> {
  const header = fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom(...HEADERS) },
  );
  const method = rarely(fc.constantFrom(...METHODS));
  const target = rarely(fc.constantFrom(...TARGETS));
  const framing = rarely(fc.constantFrom(...FRAMINGS));
  const damages = rarely(fc.array(damage, { minLength: 1, maxLength: 3 }));
  return fc
    .tuple(
      requests,
      header,
      fc.constantFrom(...credentials),
      fc.tuple(method, target, framing, damages),
    )
    .map(([request, header, credential, [method, target, framing, damages]]) => {
      const asked: HttpRequest = {
        method: method ?? request.method,
        target: target?.(request.target) ?? request.target,
        headers: { ...request.headers, ...credential, ...header },
        body: request.body,
      };
      const bytes = (framing ?? sound)(asked);
      return {
        bytes: damages === undefined ? bytes : damaged(bytes, damages),
        isSound:
          framing === undefined &&
          damages === undefined &&
          method === undefined &&
          target === undefined,
        method: asked.method,
      };
    });
}

function rarely<T>(arbitrary: Arbitrary<T>): Arbitrary<T | undefined> {
  return fc.oneof({ weight: 39, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

export function sound(request: HttpRequest): Buffer {
  const { body } = request;
  if (body === undefined) return framed(request, {}, Buffer.alloc(0));
  return framed(request, { "Content-Length": String(body.length) }, body);
}

function framed({ method, target, headers }: HttpRequest, more: Headers, body: Buffer): Buffer {
  const lines = Object.entries({ ...headers, ...more }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

function bodyOf({ body }: HttpRequest): Buffer {
  return body ?? Buffer.from("{}");
}

function chunked(body: Buffer, size: number): Buffer {
  const pieces: Buffer[] = [];
  // A chunk for each byte of a large body would be another test.
  const step = Math.max(size, Math.ceil(body.length / 200));
  for (let at = 0; at < body.length; at += step) {
    const piece = body.subarray(at, at + step);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")]);
}

function replaced(request: HttpRequest, what: string, by: string): Buffer {
  return Buffer.from(
    sound(request)
      .toString("latin1")
      .replace(what, () => by),
    "latin1",
  );
}
