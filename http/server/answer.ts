import { STATUS_CODES } from "node:http";
import type { HttpResponse } from "./uws.ts";

/** One response, ready to be written. */
export interface Answer {
  status: number;
  /** Absent if there is no body. */
  contentType: string | undefined;
  /** Bytes where it was compressed. */
  body: string | Uint8Array;
  headers: { readonly [name: string]: string | undefined } | undefined;
}

/** Properties of every response to a request. */
export interface AnswerContext {
  firstLines: FirstLines;
  requestId: string;
  /** Names and values, alternating. */
  fixedHeaders: readonly string[];
  /** The text of the `RateLimit` headers after the request id, line ends included; empty without a rate limit. */
  rateLimitBlock: string;
  /** HEAD: everything but the body. */
  withoutBody: boolean;
  /** Closes the connection after the response. */
  close: boolean;
  /** `writeContinue` was called. */
  continued?: boolean;
}

/** What every response begins with, by its status. */
export interface FirstLines {
  readonly open: LinesByCaching;
  /** For an answer after which the connection is closed. */
  readonly closing: LinesByCaching;
}

interface LinesByCaching {
  /** Nobody on the way keeps the answer, nor does a browser: answers are about payments. */
  readonly notStored: ReadonlyMap<number, string>;
  /** For an answer that says itself who may keep it. */
  readonly withOwnCaching: ReadonlyMap<number, string>;
}

/**
 * Shorter than the 8 seconds after which the older library begins to close idle connections (infra/docs/proxies.md): a request that a client sends later may meet
 * a connection that is being closed.
 */
const KEEP_ALIVE = "Keep-Alive: timeout=5\r\n";

/** A year, as long as lists of such sites want at least. Without subdomains: those are not the relay's. */
const TLS_ONLY = "Strict-Transport-Security: max-age=31536000\r\n";

/**
 * The first lines of a response, up to the request's id: uWebSockets writes the status text unchanged, and each call into it is expensive.
 * `tlsOnly`: browsers are told to come over TLS from now on.
 */
export function firstLines({ tlsOnly }: { tlsOnly: boolean }): FirstLines {
  const always = `X-Content-Type-Options: nosniff\r\n${tlsOnly ? TLS_ONLY : ""}`;
  const byStatus = (headers: string) =>
    new Map(Object.entries(STATUS_CODES).map(([status, phrase]) => [Number(status), `${status} ${phrase}\r\n${headers}X-Request-Id: `]));
  const lines = (begin: string) => ({ notStored: byStatus(`${begin}Cache-Control: no-store\r\n`), withOwnCaching: byStatus(begin) });
  return { open: lines(always + KEEP_ALIVE), closing: lines(always) };
}

/** Everything in a response before its body. */
export type AnswerHead = Omit<Answer, "body">;

/**
 * Writes `100 Continue` and the empty line behind it; has to be called corked. The library does so by itself only for an expectation in lower case, and has no
 * function for it. The response that follows is written with `continued`.
 */
export function writeContinue(res: HttpResponse): void {
  res.writeStatus("100 Continue\r\n");
}

/** Writes a response in one piece; has to be called corked, on a response that is still open. */
export function writeAnswer(res: HttpResponse, answer: Answer, context: AnswerContext): void {
  const { status, body } = answer;
  writeHead(res, answer, context);
  if (status !== 204 && status !== 304 && !context.withoutBody) {
    res.end(body, context.close);
    return;
  }
  writeEnd(res, context, status !== 204 && status !== 304 ? Buffer.byteLength(body) : null);
}

/**
 * Answers a request behind which nothing on its connection may be read. uWebSockets goes on reading what has come with it even when the answer closes the
 * connection; but while a request waits for its answer, it ends the connection at the next one. So `write`, which has to close it, comes a turn later.
 */
export function answerAsLast(res: HttpResponse, write: () => void): void {
  let open = true;
  res.onAborted(() => {
    open = false;
  });
  setImmediate(() => {
    if (open) res.cork(write);
  });
}

/** Ends a response without its body; the length of the body is still sent if there is one. */
export function writeEnd(res: HttpResponse, context: AnswerContext, contentLength: number | null): void {
  // With arguments, `endWithoutBody` of this uWebSockets version leaves the response open, so these headers are written here.
  if (contentLength !== null) res.writeHeader("Content-Length", String(contentLength));
  if (context.close) res.writeHeader("Connection", "close");
  res.endWithoutBody();
}

/** Writes everything before the body; as `writeAnswer`. */
export function writeHead(res: HttpResponse, answer: AnswerHead, context: AnswerContext): void {
  const { status } = answer;
  const { notStored, withOwnCaching } = context.close ? context.firstLines.closing : context.firstLines.open;
  const lines = answer.headers?.["Cache-Control"] === undefined ? notStored : withOwnCaching;
  const beginning = lines.get(status) ?? `${status} Unknown\r\nX-Request-Id: `;
  if (context.continued === true) {
    // The library has written its one status: this one goes out as what stands before the first header's colon.
    res.writeHeader(`HTTP/1.1 ${beginning.slice(0, -": ".length)}`, context.requestId + context.rateLimitBlock);
  } else {
    res.writeStatus(beginning + context.requestId + context.rateLimitBlock);
  }
  const fixed = context.fixedHeaders;
  for (let i = 0; i + 1 < fixed.length; i += 2) res.writeHeader(fixed[i] ?? "", fixed[i + 1] ?? "");
  if (answer.headers !== undefined) writeHeaders(res, answer.headers);
  if (answer.contentType !== undefined) res.writeHeader("Content-Type", answer.contentType);
}

function writeHeaders(res: HttpResponse, headers: { readonly [name: string]: string | undefined }): void {
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) res.writeHeader(name, value);
  }
}

/** Whether no header value contains characters that would end the header; checked before anything is written. */
export function areHeadersSafe(headers: { readonly [name: string]: string | undefined }): boolean {
  return Object.values(headers).every((value) => value === undefined || /^[\t\x20-\x7e\x80-\xff]*$/.test(value));
}
