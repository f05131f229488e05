import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import type { Caller } from "../../engine/domain/caller.ts";
import { RelayError } from "../../engine/domain/errors.ts";
import type { Refusal } from "../auth/authenticator.ts";
import type { AnyReply, RequestFacts } from "../endpoint/endpoint.ts";
import { requireJsonContentType } from "../endpoint/json-body.ts";
import type { Match } from "../endpoint/router.ts";
import { type Answer, areHeadersSafe, writeAnswer } from "./answer.ts";
import { BodyCollector } from "./body-collector.ts";
import type { ClientAddress } from "./client-address.ts";
import type { Edge } from "./edge.ts";
import { errorAnswer, toRelayError } from "./error-answer.ts";
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
  #caller: Caller | null = null;
  #bodyComplete = false;
  #body: unknown;
  #bodyText = "";
  #params: unknown;
  #query: unknown;
  #headers: unknown;
  #fixedHeaders: readonly string[];

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
      this.#admit();
      const expectsBody = this.#route.compiled.readBody !== null;
      const contentLength = this.#route.method === "GET" ? "" : req.getHeader("content-length");
      this.#requireLength(contentLength);
      this.#authenticate(req);
      this.#readMembers(req, match);
      if (expectsBody) {
        requireJsonContentType(req.getHeader("content-type"));
        this.#collectBody();
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
    if (!this.#bodyComplete) {
      this.#closeAfter = true;
      this.fail(new RelayError("request_timeout", "The request body did not arrive in time."));
    } else {
      this.fail(new RelayError("unavailable", "No answer in time.", { retryAfterSeconds: 1 }));
    }
  }

  /** Answers with the surface's error envelope; an unknown error is a plain 500 whose cause goes to the log. */
  fail(error: unknown): void {
    if (!this.#open) return;
    const { endpoint } = this.#route;
    const relayError = toRelayError(error);
    if (relayError.code === "internal" || relayError.cause !== undefined) {
      this.#edge.observe.failed?.(error, { id: this.id, endpoint: endpoint.name });
    }
    this.#send(errorAnswer(relayError, endpoint.surface.envelope, endpoint.auth, this.id));
  }

  #admit(): void {
    if (this.#edge.isFull()) throw new RelayError("too_busy", "Too many requests are under way.", { retryAfterSeconds: 1 });
    const bucket = this.#route.bucket;
    if (bucket === null) return;
    const admission = bucket.take(this.#address.limitHigh, this.#address.limitLow);
    if (typeof admission === "number") {
      this.#remaining = admission;
      return;
    }
    this.#remaining = 0;
    if (admission === "table_full") this.#edge.observe.rateLimitTableFull?.(this.#route.endpoint.name);
    const message = admission === "limited" ? `Rate limit exceeded: ${bucket.perSecond} requests per second` : "Rate limit exceeded";
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
    if (!readsAuthorization && !readsApiKey) {
      this.#caller = ANONYMOUS;
      return;
    }
    const apiKey = readsApiKey ? req.getHeader("api-key") : "";
    const verdict = this.#edge.authenticator.authenticate(endpoint.auth, {
      authorization: readsAuthorization ? req.getHeader("authorization") : "",
      apiKey,
      origin: apiKey === "" ? "" : req.getHeader("origin"),
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

  #readMembers(req: HttpRequest, match: Match<ServedRoute>): void {
    const { compiled, endpoint } = this.#route;
    this.#params = compiled.readParams(match.values);
    // Undefined, whatever the types say, for a URL without a question mark.
    this.#query = compiled.readQuery(req.getQuery() || "");
    this.#headers = compiled.readHeaders?.((name) => req.getHeader(name.toLowerCase()) || undefined) ?? NO_HEADERS;
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

  #bodyArrived(bytes: Buffer): void {
    const read = this.#route.compiled.readBody?.(bytes);
    this.#body = read?.value;
    this.#bodyText = read?.text ?? "";
    this.#bodyComplete = true;
    this.#proceed();
  }

  /** Runs the handler once both the caller and the body are known. */
  #proceed(): void {
    const caller = this.#caller;
    if (caller === null || !this.#bodyComplete || !this.#open) return;
    const reply = this.#route.endpoint.run({
      params: this.#params,
      query: this.#query,
      headers: this.#headers,
      body: this.#body,
      bodyText: this.#bodyText,
      caller,
      request: this,
    });
    if (!(reply instanceof Promise)) {
      this.#answer(reply);
      return;
    }
    this.#attach();
    this.deadlineAtMs = this.#startedMs + this.#route.deadlineMs;
    reply.then(
      (late) => this.#answer(late),
      (error) => this.fail(error),
    );
  }

  #answer(reply: AnyReply): void {
    if (!this.#open) return;
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
    this.#open = false;
    if (this.#attached) this.#edge.pending.delete(this);
    const context = {
      requestId: this.id,
      fixedHeaders: this.#fixedHeaders,
      rateLimitBlock: this.#remaining === -1 ? "" : (this.#route.rateLimitBlocks[this.#remaining] ?? ""),
      withoutBody: this.#withoutBody,
      close: this.#closeAfter || this.#edge.draining,
    };
    if (this.#corked) writeAnswer(this.#res, answer, context);
    else this.#res.cork(() => writeAnswer(this.#res, answer, context));
    this.#edge.observe.answered?.(this.#route.endpoint.name, answer.status, this.#edge.monotonicMs() - this.#startedMs);
  }

  /** From here on the response may die under us, and the deadline runs. */
  #attach(): void {
    if (this.#attached) return;
    this.#attached = true;
    this.deadlineAtMs = this.#startedMs + this.#edge.limits.bodyDeadlineMs;
    this.#edge.pending.add(this);
    this.#res.onAborted(() => {
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

const ANONYMOUS: Caller = { type: "anonymous" };
const NO_HEADERS = Object.freeze({});
