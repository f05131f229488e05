import { RelayError } from "../../engine/kernel/errors.ts";
import { CallLimitReached } from "../../engine/partners/merchant-calls.ts";
import { type Encoding, preferredEncoding } from "../endpoint/accept-encoding.ts";
import type { AnyReply, AuthRequirement, OutgoingFile } from "../endpoint/endpoint.ts";
import { type Answer, type AnswerHead, areHeadersSafe, writeAnswer, writeEnd, writeHead } from "./answer.ts";
import { COMPRESSED_FROM_BYTES, IN_PLACE_BYTES_MAX, isText, mayCompress, negotiatedHeaders, notModifiedHeaders } from "./compression.ts";
import { errorAnswer, toRelayError } from "./error-answer.ts";
import type { SendOutcome } from "./file-sender.ts";
import type { Waiting } from "./pending.ts";
import { rateLimitBlock, type ServedRoute } from "./route.ts";
import type { ServerContext } from "./server-context.ts";
import { releaseStream } from "./stream-sender.ts";
import type { HttpResponse } from "./uws.ts";

/**
 * The answering half of an exchange: one answer, one file or one stream, while the client is there and the deadline has not passed. The response of uWebSockets
 * is touched only while `open`, or by the sender of a file or a stream.
 */
export abstract class Response implements Waiting {
  deadlineAtMs = 0;
  place = -1;
  readonly id: string;
  protected readonly context: ServerContext;
  protected readonly res: HttpResponse;
  protected readonly route: ServedRoute;
  protected readonly startedMs: number;
  protected readonly withoutBody: boolean;
  protected open = true;
  /** True while uWebSockets calls us and has corked the socket. */
  protected corked = true;
  protected closeAfter = false;
  protected continued = false;
  /** As what kind of endpoint a 401 names its scheme; null for the endpoint's own. */
  protected challenged: AuthRequirement | null = null;
  /** Requests that the client's window has room for; -1 where nothing is limited. */
  protected remaining = -1;
  /** The limit of the caller's own of which that is; 0 where it is the route's. */
  protected ownLimit = 0;
  /** Names and values, alternating. */
  protected fixedHeaders: readonly string[];
  /** Empty where the answer is to be sent as it is. Looked at only for an answer that is long enough. */
  protected acceptEncoding = "";
  #attached = false;
  #isGone = false;
  /** Only of a request that asks for it. */
  #leaving: AbortController | null = null;
  /** Of the file or the stream. */
  #sender: { aborted(): void } | null = null;

  constructor(context: ServerContext, res: HttpResponse, route: ServedRoute, facts: { id: string; withoutBody: boolean }) {
    this.context = context;
    this.res = res;
    this.route = route;
    this.withoutBody = facts.withoutBody;
    this.fixedHeaders = route.fixedHeaders;
    this.startedMs = context.monotonicMs();
    this.id = facts.id;
  }

  get gone(): AbortSignal {
    this.#leaving ??= new AbortController();
    if (this.#isGone) this.#leaving.abort(GONE);
    return this.#leaving.signal;
  }

  /** Nobody waits for the answer any more: what waits or reads for it ends. */
  protected leave(): void {
    this.#isGone = true;
    this.#leaving?.abort(GONE);
  }

  abstract expire(): void;

  /** Whose place a file or a stream takes. */
  protected abstract owner(): string;

  /** The client has gone: nothing more of its request comes. */
  protected abstract aborted(): void;

  /** Answers with the surface's error envelope; an unknown error is a plain 500 whose cause goes to the log. */
  fail(error: unknown): void {
    if (!this.open) return;
    const { endpoint } = this.route;
    const relayError = toRelayError(error);
    if (relayError.code === "internal" || relayError.cause !== undefined) {
      this.context.observe.failed?.(error, { id: this.id, endpoint: endpoint.name });
    }
    this.context.observe.refused?.(relayError.code);
    // It says nothing of the address's window.
    if (relayError.code === "terminal_queue_full" || relayError instanceof CallLimitReached) this.remaining = -1;
    this.#send(errorAnswer(relayError, endpoint.surface.envelope, this.challenged ?? endpoint.auth, this.id));
  }

  protected guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
    }
  }

  /** From here on the response may die under us, and the deadline runs. */
  protected attach(): void {
    if (this.#attached) return;
    this.#attached = true;
    this.deadlineAtMs = this.startedMs + this.context.limits.bodyDeadlineMs;
    this.context.pending.add(this);
    this.res.onAborted(() => {
      this.#sender?.aborted();
      this.leave();
      this.aborted();
      if (!this.open) return;
      this.open = false;
      this.context.pending.delete(this);
      this.context.observe.aborted?.(this.route.endpoint.name);
    });
  }

  protected answer(reply: AnyReply): void {
    if (!this.open) {
      reply.file?.close(false);
      if (reply.stream !== undefined) releaseStream(reply.stream);
      reply.notWritten?.();
      return;
    }
    if (reply.stream !== undefined) {
      this.#sendStream(reply, reply.stream);
      return;
    }
    if (reply.file !== undefined) {
      const contentType = reply.file.contentType ?? this.route.compiled.contentTypes.get(reply.status);
      const isShortText = reply.status === 200 && isShort(reply.file) && this.#isNegotiated(contentType, reply);
      if (isShortText && preferredEncoding(this.acceptEncoding) !== "identity" && areHeadersSafe(reply.headers ?? {}))
        this.#sendText(reply, reply.file, contentType);
      else this.#sendFile(isShortText ? { ...reply, headers: negotiatedHeaders(reply.headers, "identity") } : reply, reply.file);
      return;
    }
    let text: string;
    try {
      text = this.route.compiled.serialize(reply);
      if (reply.headers !== undefined && !areHeadersSafe(reply.headers)) throw new Error("a reply header holds a line break");
    } catch (error) {
      reply.notWritten?.();
      this.fail(error);
      return;
    }
    const contentType = this.route.compiled.contentTypes.get(reply.status);
    const answer = { status: reply.status, contentType, body: text, headers: reply.headers };
    // What the client has may be the compressed form; then its tag is a weak one.
    if (reply.status === 304 && this.#isNegotiated(this.route.compiled.textType, reply)) {
      this.#send({ ...answer, headers: notModifiedHeaders(reply.headers, preferredEncoding(this.acceptEncoding)) });
    } else if (text.length < COMPRESSED_FROM_BYTES || !this.#isNegotiated(contentType, reply)) this.#send(answer);
    else this.#sendNegotiated(answer, Buffer.from(text, "utf8"), reply.notWritten);
  }

  /** Whether the answer depends on `Accept-Encoding`. */
  #isNegotiated(contentType: string | undefined, { headers }: AnyReply): boolean {
    return this.route.compresses && isText(contentType) && mayCompress(headers);
  }

  #sendNegotiated(answer: AnswerHead, bytes: Uint8Array, notWritten: (() => void) | undefined): void {
    const encoding = preferredEncoding(this.acceptEncoding);
    const compressed = encoding === "identity" ? null : this.context.compression.compress(bytes, encoding);
    if (compressed === null) {
      this.#send({ ...answer, body: bytes, headers: negotiatedHeaders(answer.headers, "identity") });
      return;
    }
    const send = (body: Uint8Array) => this.#send({ ...answer, body, headers: negotiatedHeaders(answer.headers, encoding) });
    if (!(compressed instanceof Promise)) {
      send(compressed);
      return;
    }
    this.attach();
    compressed.then(
      (body) => {
        if (this.open) send(body);
        else notWritten?.();
      },
      (error) => this.fail(error),
    );
  }

  /** A file that is a short text, an image as SVG for instance, is an answer like any other. */
  #sendText(reply: AnyReply, file: OutgoingFile, contentType: string | undefined): void {
    this.attach();
    readWhole(file).then(
      (bytes) => {
        file.close(this.open);
        if (this.open) this.#sendNegotiated({ status: reply.status, contentType, headers: reply.headers }, bytes, reply.notWritten);
        else reply.notWritten?.();
      },
      (error) => {
        file.close(false);
        this.fail(error);
      },
    );
  }

  #send(answer: Answer): void {
    // A stream whose beginning is still being read is answered otherwise.
    this.#sender?.aborted();
    this.#close();
    if (this.corked) writeAnswer(this.res, answer, this.#context());
    else this.res.cork(() => writeAnswer(this.res, answer, this.#context()));
    this.#answered(answer.status);
  }

  /** From here on the file's sender has the response; the head leaves now, the body as the client takes it. */
  #sendFile(reply: AnyReply, file: OutgoingFile): void {
    const { files } = this.context;
    const full = files.fullFor(this.owner());
    if (full !== null || (reply.headers !== undefined && !areHeadersSafe(reply.headers))) {
      file.close(false);
      this.fail(full === null ? new Error("a reply header holds a line break") : FULL[full]());
      return;
    }
    this.attach();
    this.#close();
    const { status, headers } = reply;
    const head = { status, headers, contentType: file.contentType ?? this.route.compiled.contentTypes.get(status) };
    const write = () => {
      writeHead(this.res, head, this.#context());
      if (this.withoutBody) writeEnd(this.res, this.#context(), file.length);
    };
    if (this.corked) write();
    else this.res.cork(write);
    if (this.withoutBody) {
      file.close(false);
      this.#answered(status);
      return;
    }
    this.#sender = files.send(this.res, file, this.owner(), (outcome) => this.#sent(status, outcome));
  }

  /** Reads the beginning first: what fails before it is answered as an error. From then on the sender has the response. */
  #sendStream(reply: AnyReply, source: AsyncIterable<string | Uint8Array>): void {
    const { streams } = this.context;
    const { status } = reply;
    const contentType = this.route.compiled.contentTypes.get(status);
    const isNegotiated = this.#isNegotiated(contentType, reply);
    const encoding: Encoding = isNegotiated ? preferredEncoding(this.acceptEncoding) : "identity";
    const headers = isNegotiated ? negotiatedHeaders(reply.headers, encoding) : reply.headers;
    const full = streams.fullFor(this.owner());
    if (full !== null || (headers !== undefined && !areHeadersSafe(headers))) {
      releaseStream(source);
      this.fail(full === null ? new Error("a reply header holds a line break") : FULL[full]());
      return;
    }
    const writeBeginning = () => {
      this.#close();
      const write = () => {
        writeHead(this.res, { status, headers, contentType }, this.#context());
        if (this.withoutBody) writeEnd(this.res, this.#context(), null);
      };
      if (this.corked) write();
      else this.res.cork(write);
    };
    if (this.withoutBody) {
      releaseStream(source);
      writeBeginning();
      this.#answered(status);
      return;
    }
    this.attach();
    let begun = false;
    const sender = streams.open(source, this.owner(), encoding, (outcome) => {
      if (begun) this.#sent(status, outcome);
    });
    this.#sender = sender;
    sender.readBeginning().then(
      () => {
        if (!this.open) return;
        begun = true;
        writeBeginning();
        sender.begin(this.res);
      },
      (error) => this.fail(error),
    );
  }

  /** What became of a file or a stream. */
  #sent(status: number, outcome: SendOutcome): void {
    const { observe } = this.context;
    const endpoint = this.route.endpoint.name;
    if (outcome === "complete") this.#answered(status);
    else {
      this.leave();
      observe.aborted?.(endpoint);
    }
    if (typeof outcome === "object") observe.failed?.(outcome.failed, { id: this.id, endpoint });
  }

  #close(): void {
    this.open = false;
    if (this.#attached) this.context.pending.delete(this);
  }

  #context() {
    return {
      firstLines: this.context.firstLines,
      requestId: this.id,
      fixedHeaders: this.fixedHeaders,
      rateLimitBlock: this.#rateLimitBlock(),
      withoutBody: this.withoutBody,
      close: this.closeAfter || this.context.draining,
      continued: this.continued,
    };
  }

  #rateLimitBlock(): string {
    const { remaining, ownLimit, route } = this;
    if (remaining === -1) return "";
    return ownLimit === 0 ? (route.rateLimitBlocks[remaining] ?? "") : rateLimitBlock(ownLimit, remaining, route.readsApiKey);
  }

  #answered(status: number): void {
    this.context.observe.answered?.(this.route.endpoint.name, status, this.context.monotonicMs() - this.startedMs);
  }
}

/** Not `unavailable`, which would be tried again. */
const GONE = new RelayError("request_timeout", "The client has disconnected.");

/** Of files and of streams. */
const FULL: Readonly<Record<"all" | "share", () => RelayError>> = {
  all: () => new RelayError("too_busy", "Too many downloads are in progress; retry shortly.", { retryAfterSeconds: 10 }),
  share: () =>
    new RelayError("rate_limited", "You already have several downloads in progress; wait until one has ended.", { retryAfterSeconds: 10 }),
};

function isShort({ length }: OutgoingFile): boolean {
  return length >= COMPRESSED_FROM_BYTES && length <= IN_PLACE_BYTES_MAX;
}

async function readWhole(file: OutgoingFile): Promise<Uint8Array> {
  const { offset, length } = file;
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = await file.read(bytes.subarray(at), offset + at);
    if (count === 0) throw new Error("the file became shorter while it was sent");
    at += count;
  }
  return bytes;
}
