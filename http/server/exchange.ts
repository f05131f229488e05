import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import type { Caller } from "../../engine/domain/caller.ts";
import { RelayError } from "../../engine/domain/errors.ts";
import type { Refusal } from "../auth/authenticator.ts";
import type { SignedRequest } from "../auth/http-signature.ts";
import type { Admission } from "../auth/rate-limiter.ts";
import type { AnyReply, IncomingFile, OutgoingFile, RequestFacts } from "../endpoint/endpoint.ts";
import { readIdempotencyKey } from "../endpoint/idempotency.ts";
import { requireJsonContentType } from "../endpoint/json-body.ts";
import { readMultipartFile, requireMultipart } from "../endpoint/multipart.ts";
import type { Match } from "../endpoint/router.ts";
import { type Answer, type AnswerContext, areHeadersSafe, writeAnswer, writeEnd, writeHead } from "./answer.ts";
import { BodyCollector } from "./body-collector.ts";
import { BodyStream } from "./body-stream.ts";
import type { ClientAddress } from "./client-address.ts";
import { corsHeaders, requestOrigin } from "./cors.ts";
import type { Edge } from "./edge.ts";
import { errorAnswer, toRelayError } from "./error-answer.ts";
import type { FileSender } from "./file-sender.ts";
import type { Waiting } from "./pending.ts";
import { type ServedRoute, successorOf } from "./route.ts";

/**
 * One request from its headers to its answer. Everything is read from `HttpRequest` before `begin` returns, since it is gone
 * afterwards; the response is touched only while `#open`.
 */
export class Exchange implements Waiting, RequestFacts {
  deadlineAtMs = 0;
  readonly id: string;
  readonly #edge: Edge;
  readonly #res: HttpResponse;
  readonly #route: ServedRoute;
  readonly #address: ClientAddress;
  readonly #startedMs: number;
  readonly #withoutBody: boolean;
  #open = true;
  /** True while uWebSockets calls us and has corked the socket. */
  #corked = true;
  #attached = false;
  #closeAfter = false;
  #remaining = -1;
  /** False while all nodes are asked whether the client may. */
  #admitted = true;
  /** What was wrong with the request meanwhile: a client beyond its limit is told that, and nothing else. */
  #held: { error: unknown } | null = null;
  #caller: Caller | null = null;
  /** Of endpoints with `auth: "signature"`: what is signed, but for the body. */
  #signed: Omit<SignedRequest, "body"> | null = null;
  #bodyComplete = false;
  #body: unknown;
  #bodyText = "";
  #membersError: unknown = null;
  #upload: IncomingFile = NO_UPLOAD;
  /** The body while it is read as it comes. */
  #stream: BodyStream | null = null;
  #sender: FileSender | null = null;
  #params: unknown;
  #query: unknown;
  #headers: unknown;
  #idempotencyKey: string | null = null;
  #fixedHeaders: readonly string[];
  #origin = "";

  constructor(edge: Edge, res: HttpResponse, route: ServedRoute, facts: { id: string; address: ClientAddress; withoutBody: boolean }) {
    this.#edge = edge;
    this.#res = res;
    this.#route = route;
    this.#address = facts.address;
    this.#withoutBody = facts.withoutBody;
    this.#fixedHeaders = route.fixedHeaders;
    this.#startedMs = edge.monotonicMs();
    this.id = facts.id;
  }

  get ipAddress(): string {
    return this.#address.text;
  }

  /** Reads and checks the request, in the order: room, rate, who, what; then waits for the body, or runs the handler. */
  begin(req: HttpRequest, match: Match<ServedRoute>): void {
    try {
      this.#readOrigin(req);
      this.#admit();
      const expectsBody = this.#route.compiled.readBody !== null;
      const contentLength = this.#route.method === "GET" ? "" : req.getHeader("content-length");
      this.#requireLength(contentLength);
      this.#authenticate(req);
      this.#readMembersOf(req, match);
      if (this.#route.endpoint.upload !== undefined) {
        this.#streamBody(req.getHeader("content-type"), this.#route.endpoint.upload);
        this.#proceed();
      } else if (expectsBody) {
        requireJsonContentType(req.getHeader("content-type"));
        this.#collectBody();
      } else if (this.#signed !== null) {
        this.#checkSignature(this.#signed, Buffer.alloc(0));
      } else {
        this.#bodyComplete = true;
        this.#proceed();
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.#corked = false;
    }
  }

  expire(): void {
    if (!this.#bodyComplete || this.#stream?.ended === false) {
      const late = new RelayError("request_timeout", "The request body did not arrive in time.");
      this.#stream?.fail(late);
      this.#closeAfter = true;
      this.fail(late);
    } else {
      this.fail(new RelayError("unavailable", "No answer in time.", { retryAfterSeconds: 1 }));
    }
  }

  /** Answers with the surface's error envelope; an unknown error is a plain 500 whose cause goes to the log. */
  fail(error: unknown): void {
    if (!this.#open) return;
    if (!this.#admitted) {
      this.#held ??= { error };
      return;
    }
    const { endpoint } = this.#route;
    const relayError = toRelayError(error);
    if (relayError.code === "internal" || relayError.cause !== undefined) {
      this.#edge.observe.failed?.(error, { id: this.id, endpoint: endpoint.name });
    }
    this.#send(errorAnswer(relayError, endpoint.surface.envelope, endpoint.auth, this.id));
  }

  /** Before anything can be refused: a page is to read why. */
  #readOrigin(req: HttpRequest): void {
    if (!this.#route.readsApiKey) return;
    this.#origin = req.getHeader("origin");
    if (this.#origin === "" || !this.#edge.authenticator.isOriginListed(this.#origin)) return;
    this.#fixedHeaders = [...this.#fixedHeaders, ...corsHeaders(this.#origin)];
  }

  #admit(): void {
    if (this.#edge.isFull()) throw new RelayError("too_busy", "Too many requests are under way.", { retryAfterSeconds: 1 });
    const bucket = this.#route.bucket;
    if (bucket === null) return;
    const admission = bucket.take(this.#address.limitHigh, this.#address.limitLow);
    if (!(admission instanceof Promise)) {
      this.#judge(admission, bucket.perSecond);
      return;
    }
    this.#admitted = false;
    this.#attach();
    admission.then(
      (late) =>
        this.#guard(() => {
          this.#admitted = true;
          this.#judge(late, bucket.perSecond);
          if (this.#held !== null) throw this.#held.error;
          this.#proceed();
        }),
      (error) => {
        this.#admitted = true;
        this.fail(error);
      },
    );
  }

  #judge(admission: Admission, perSecond: number): void {
    if (typeof admission === "number") {
      this.#remaining = admission;
      return;
    }
    this.#remaining = 0;
    if (admission === "table_full") this.#edge.observe.rateLimitTableFull?.(this.#route.endpoint.name);
    const message = admission === "limited" ? `Rate limit exceeded: ${perSecond} requests per second` : "Rate limit exceeded";
    throw new RelayError("rate_limited", message, { retryAfterSeconds: 1 });
  }

  #requireLength(contentLength: string): void {
    if (contentLength !== "" && !(Number(contentLength) <= this.#route.bodyBytesMax)) this.#refuseLength();
  }

  #refuseLength(): never {
    // The rest of the body is not worth reading.
    this.#closeAfter = true;
    throw new RelayError("payload_too_large", `body: may have at most ${this.#route.bodyBytesMax} bytes`);
  }

  #authenticate(req: HttpRequest): void {
    const { readsAuthorization, readsApiKey, endpoint } = this.#route;
    if (endpoint.auth === "signature") {
      this.#signed = signedOf(req, this.#withoutBody ? "HEAD" : this.#route.method);
      return;
    }
    if (!readsAuthorization && !readsApiKey) {
      this.#caller = ANONYMOUS;
      return;
    }
    const apiKey = readsApiKey ? req.getHeader("api-key") : "";
    const verdict = this.#edge.authenticator.authenticate(endpoint.auth, {
      authorization: readsAuthorization ? req.getHeader("authorization") : "",
      apiKey,
      origin: apiKey === "" ? "" : requestOrigin(this.#origin, req.getHeader("referer")),
      ipAddress: this.#address.text,
    });
    if (!(verdict instanceof Promise)) {
      this.#authenticated(verdict);
      return;
    }
    this.#attach();
    verdict.then(
      (late) => this.#guard(() => this.#authenticated(late)),
      (error) => this.fail(error),
    );
  }

  #authenticated(verdict: Caller | Refusal): void {
    if (verdict.type === "refused") throw new RelayError(verdict.code, verdict.message);
    this.#caller = verdict;
    this.#proceed();
  }

  /** What is wrong with a signed request's members is told once its signature holds. */
  #readMembersOf(req: HttpRequest, match: Match<ServedRoute>): void {
    try {
      this.#readMembers(req, match);
    } catch (error) {
      if (this.#signed === null) throw error;
      this.#membersError = error;
    }
  }

  #readMembers(req: HttpRequest, match: Match<ServedRoute>): void {
    const { compiled, endpoint } = this.#route;
    this.#params = compiled.readParams(match.values);
    // Undefined, whatever the types say, for a URL without a question mark.
    this.#query = compiled.readQuery(req.getQuery() || "");
    this.#headers = compiled.readHeaders?.((name) => req.getHeader(name.toLowerCase()) || undefined) ?? NO_HEADERS;
    if (endpoint.idempotency !== undefined) this.#idempotencyKey = readIdempotencyKey(headerOf(req, "idempotency-key"));
    const successor = endpoint.deprecated && successorOf(endpoint.deprecated.successor, endpoint.path, match.values);
    if (successor) this.#fixedHeaders = [...this.#fixedHeaders, "Link", `<${successor}>; rel="successor-version"`];
  }

  #collectBody(): void {
    this.#attach();
    const collector = new BodyCollector(this.#route.bodyBytesMax);
    this.#res.onData((chunk, isLast) => {
      if (!this.#open) return;
      this.#corked = true;
      this.#guard(() => {
        const outcome = collector.take(chunk, isLast);
        if (outcome === "too_large") this.#refuseLength();
        if (outcome !== "more") this.#bodyArrived(outcome);
      });
      this.#corked = false;
    });
  }

  /** The handler runs while the body comes, and holds it up when it does not keep pace. */
  #streamBody(contentType: string, { member, bytesMax }: { member: string; bytesMax: number }): void {
    requireMultipart(contentType);
    this.#attach();
    this.#bodyComplete = true;
    let bytes = 0;
    const stream = new BodyStream(this.#res, () => {
      this.deadlineAtMs = this.#edge.monotonicMs() + (stream.ended ? this.#route.deadlineMs : this.#edge.limits.uploadStallMs);
    });
    this.#stream = stream;
    this.#upload = { read: (take) => readMultipartFile(() => stream.next(), { contentType, member, bytesMax }, take) };
    this.#res.onData((chunk, isLast) => {
      if (!this.#open) return;
      this.#corked = true;
      this.#guard(() => {
        bytes += chunk.byteLength;
        if (bytes > this.#route.bodyBytesMax) {
          stream.fail(new RelayError("payload_too_large", "The body is too large."));
          this.#refuseLength();
        }
        stream.push(chunk, isLast);
      });
      this.#corked = false;
    });
  }

  #bodyArrived(bytes: Buffer): void {
    // The bytes are valid only during this call.
    if (this.#signed !== null) this.#checkSignature(this.#signed, Buffer.from(bytes));
    else this.#takeBody(bytes);
  }

  /** Nothing of the request is read before its signature holds. */
  #checkSignature(signed: Omit<SignedRequest, "body">, body: Buffer): void {
    const { signatures } = this.#edge;
    if (signatures === null) throw new Error("nobody checks signatures");
    this.#attach();
    this.#bodyComplete = true;
    this.deadlineAtMs = this.#startedMs + this.#route.deadlineMs;
    signatures.authenticate({ ...signed, body }).then(
      (verdict) =>
        this.#guard(() => {
          if (verdict.type === "refused") throw new RelayError(verdict.code, verdict.message);
          if (this.#membersError !== null) throw this.#membersError;
          this.#caller = verdict;
          this.#takeBody(body);
        }),
      (error) => this.fail(error),
    );
  }

  #takeBody(bytes: Buffer): void {
    const read = this.#route.compiled.readBody?.(bytes);
    this.#body = read?.value;
    this.#bodyText = read?.text ?? "";
    this.#bodyComplete = true;
    this.#proceed();
  }

  /** Runs the handler once the client is admitted, and both the caller and the body are known. */
  #proceed(): void {
    const caller = this.#caller;
    if (caller === null || !this.#admitted || !this.#bodyComplete || !this.#open) return;
    const reply = this.#route.endpoint.run({
      params: this.#params,
      query: this.#query,
      headers: this.#headers,
      body: this.#body,
      bodyText: this.#bodyText,
      upload: this.#upload,
      caller,
      request: this,
      idempotencyKey: this.#idempotencyKey,
      operationId: "",
    });
    if (!(reply instanceof Promise)) {
      this.#answer(reply);
      return;
    }
    this.#attach();
    if (this.#stream === null) this.deadlineAtMs = this.#startedMs + this.#route.deadlineMs;
    reply.then(
      (late) => this.#answer(late),
      (error) => this.fail(error),
    );
  }

  #answer(reply: AnyReply): void {
    if (!this.#open) {
      reply.file?.close(false);
      return;
    }
    if (reply.file !== undefined) {
      this.#sendFile(reply, reply.file);
      return;
    }
    let text: string;
    try {
      text = this.#route.compiled.serialize(reply);
      if (reply.headers !== undefined && !areHeadersSafe(reply.headers)) throw new Error("a reply header holds a line break");
    } catch (error) {
      this.fail(error);
      return;
    }
    const contentType = this.#route.compiled.contentTypes.get(reply.status);
    this.#send({ status: reply.status, contentType, text, headers: reply.headers });
  }

  #send(answer: Answer): void {
    this.#close();
    const context = this.#context();
    if (this.#corked) writeAnswer(this.#res, answer, context);
    else this.#res.cork(() => writeAnswer(this.#res, answer, context));
    this.#answered(answer.status);
  }

  /** From here on the file's sender has the response; the head leaves now, the body as the client takes it. */
  #sendFile(reply: AnyReply, file: OutgoingFile): void {
    const { files } = this.#edge;
    if (files.isFull || (reply.headers !== undefined && !areHeadersSafe(reply.headers))) {
      file.close(false);
      const full = new RelayError("too_busy", "Too many files are being sent; try again shortly.", { retryAfterSeconds: 10 });
      this.fail(files.isFull ? full : new Error("a reply header holds a line break"));
      return;
    }
    this.#attach();
    this.#close();
    const { status, headers } = reply;
    const head = { status, headers, contentType: file.contentType ?? this.#route.compiled.contentTypes.get(status) };
    const context = this.#context();
    this.#write(() => {
      writeHead(this.#res, head, context);
      if (this.#withoutBody) writeEnd(this.#res, context, file.length);
    });
    if (this.#withoutBody) {
      file.close(false);
      this.#answered(status);
      return;
    }
    this.#sender = files.send(this.#res, file, (outcome) => {
      if (outcome === "complete") this.#answered(status);
      else this.#edge.observe.aborted?.(this.#route.endpoint.name);
      if (typeof outcome === "object") {
        this.#edge.observe.failed?.(outcome.failed, { id: this.id, endpoint: this.#route.endpoint.name });
      }
    });
  }

  #close(): void {
    this.#open = false;
    if (this.#attached) this.#edge.pending.delete(this);
  }

  #context(): AnswerContext {
    return {
      requestId: this.id,
      fixedHeaders: this.#fixedHeaders,
      rateLimitBlock: this.#remaining === -1 ? "" : (this.#route.rateLimitBlocks[this.#remaining] ?? ""),
      withoutBody: this.#withoutBody,
      close: this.#closeAfter || this.#edge.draining,
    };
  }

  #write(work: () => void): void {
    if (this.#corked) work();
    else this.#res.cork(work);
  }

  #answered(status: number): void {
    this.#edge.observe.answered?.(this.#route.endpoint.name, status, this.#edge.monotonicMs() - this.#startedMs);
  }

  /** From here on the response may die under us, and the deadline runs. */
  #attach(): void {
    if (this.#attached) return;
    this.#attached = true;
    this.deadlineAtMs = this.#startedMs + this.#edge.limits.bodyDeadlineMs;
    this.#edge.pending.add(this);
    this.#res.onAborted(() => {
      this.#sender?.aborted();
      this.#stream?.fail(new RelayError("request_timeout", "The connection ended before the request body did."));
      if (!this.#open) return;
      this.#open = false;
      this.#edge.pending.delete(this);
      this.#edge.observe.aborted?.(this.#route.endpoint.name);
    });
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
    }
  }
}

/** Null only where the header is absent: uWebSockets gives "" also for a value that it cannot read. */
function headerOf(req: HttpRequest, name: string): string | null {
  const value = req.getHeader(name);
  if (value !== "") return value;
  let present = false;
  req.forEach((header) => {
    present ||= header === name;
  });
  return present ? "" : null;
}

/** What of a request is signed: copied, since it is gone when the body has come. */
function signedOf(req: HttpRequest, method: string): Omit<SignedRequest, "body"> {
  const headers = new Map<string, string>();
  req.forEach((name, value) => {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  });
  // Undefined, whatever the types say, for a URL without a question mark.
  const query: string | undefined = req.getQuery();
  return { method, target: query === undefined ? req.getUrl() : `${req.getUrl()}?${query}`, header: (name) => headers.get(name) };
}

const NO_UPLOAD: IncomingFile = { read: () => Promise.reject(new Error("this endpoint declares no upload")) };
const ANONYMOUS: Caller = { type: "anonymous" };
const NO_HEADERS = Object.freeze({});
