import { type Caller, senderOf } from "../../engine/access/caller.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Refusal } from "../auth/credential-source.ts";
import type { SignedRequest } from "../auth/http-signature.ts";
import { isBearer } from "../auth/merchant-key.ts";
import { requireOwnPage } from "../auth/portal-session.ts";
import type { Admission, RateLimitBucket } from "../auth/rate-limiter.ts";
import { requireRole } from "../auth/required-role.ts";
import type { AnyReply, IncomingFile, RequestFacts } from "../endpoint/endpoint.ts";
import { formTypeRefusal } from "../endpoint/form-body.ts";
import { readIdempotencyKey } from "../endpoint/idempotency.ts";
import { contentTypeRefusal, type JsonBody, NONE, notJson } from "../endpoint/json-body.ts";
import { requireMultipart } from "../endpoint/multipart.ts";
import { isSessionOptional } from "../endpoint/portal-auth.ts";
import type { Match } from "../endpoint/router.ts";
import { IGNORED_HEADER, ignoredHeader } from "../endpoint/unknown-members.ts";
import { writeContinue } from "./answer.ts";
import { BodyCollector } from "./body-collector.ts";
import type { ClientAddress } from "./client-address.ts";
import { corsHeaders, requestOrigin } from "./cors.ts";
import { foreignOrigin, isFromOtherSite, isFromPage, isOwnOrigin } from "./cross-site.ts";
import { LeastPace } from "./least-pace.ts";
import { REFUSED_BYTES_MAX, REFUSED_SILENCE_MS, RefusedBody } from "./refused-body.ts";
import type { RequestHead } from "./request-head.ts";
import { Response } from "./response.ts";
import { type ServedRoute, successorOf } from "./route.ts";
import type { ServerContext } from "./server-context.ts";
import { headerOrNull, signedHead } from "./signed-request.ts";
import { surfaceHeaders } from "./surface-headers.ts";
import { Upload } from "./upload.ts";
import type { HttpResponse } from "./uws.ts";

const CONTINUE = "100-continue";

/**
 * One request from its headers to its response. Everything is read from `RequestHead` before `begin` returns, since it is of the next request
 * afterwards.
 */
export class Exchange extends Response implements RequestFacts {
  readonly #address: ClientAddress;
  #caller: Caller | null = null;
  #bodyComplete = false;
  #body: unknown;
  #bodySent: unknown;
  #bodyText = "";
  #params: unknown;
  #query: unknown;
  #headers: unknown;
  #ignored: readonly string[] = NONE;
  #idempotencyKey: string | null = null;
  #origin = "";
  pageOrigin = "";
  /**
   * Number of pending checks: whether all nodes admit the client, and whether a password is right. Until they are done nothing about the
   * request is answered.
   */
  #asked = 0;
  /** An error found while checks are pending; of several, the first in the order of `CONCERNS` is reported. */
  #held: { concern: Concern; error: unknown } | null = null;
  /** For endpoints with `auth: "signature"`: the signed parts except the body, and the error in the members, if any. */
  #signed: { head: Omit<SignedRequest, "body">; membersError: unknown } | null = null;
  /** For endpoints that read their body as it arrives. */
  #upload: Upload | null = null;
  /** The rest of a body that is too long. */
  #refused: RefusedBody | null = null;
  #contentType = "";
  /** For endpoints that store bodies that cannot be read: the body and the error. */
  #unread: { bytes: Buffer; isWhole: boolean; error: RelayError } | null = null;

  constructor(
    context: ServerContext,
    res: HttpResponse,
    route: ServedRoute,
    facts: { id: string; address: ClientAddress; withoutBody: boolean },
  ) {
    super(context, res, route, facts);
    this.#address = facts.address;
  }

  get ipAddress(): string {
    return this.#address.text;
  }

  /** Reads and checks the request, in this order: capacity, rate limit, caller, members. Then waits for the body, or runs the handler. */
  begin(req: RequestHead, match: Match<ServedRoute>): void {
    const { route } = this;
    if (!route.hidesLength || !isFromOtherSite(req)) this.acceptEncoding = req.acceptEncoding;
    try {
      if (route.method !== "GET") this.#continueInAnyCase(req.getHeader("expect"));
      if (route.headersOf !== undefined) this.fixedHeaders = [...this.fixedHeaders, ...surfaceHeaders(route.headersOf, req, this.id)];
      if (route.readsApiKey) this.#readOrigin(req);
      if (route.openToPages) this.pageOrigin = req.getHeader("origin");
      this.#admit(req);
      if (route.method !== "GET") {
        // An endpoint that stores the beginning of a body that is too long has to read it first.
        if (route.endpoint.runUnread === undefined) this.#requireLength(req.getHeader("content-length"));
        this.#requireNoOtherExpectation(req.getHeader("expect"));
      }
      this.#authenticate(req);
      this.#readMembersOf(req, match);
      if (route.endpoint.upload !== undefined) {
        const coded = codingRefusal(req);
        if (coded !== null) throw coded;
        this.#streamBody(req.getHeader("content-type"), route.endpoint.upload);
        this.#proceed();
      } else if (route.compiled.readBody !== null) {
        this.#contentType = req.getHeader("content-type");
        const refusal = this.#typeRefusal(req);
        if (refusal !== null && route.endpoint.runUnread === undefined) throw refusal;
        this.#collectBody(refusal);
      } else if (this.#signed !== null) {
        this.#checkSignature(this.#signed.head, Buffer.alloc(0));
      } else {
        this.#bodyComplete = true;
        this.#proceed();
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.corked = false;
    }
  }

  expire(): void {
    if (this.#refused?.isAwaited === true) this.#refused.giveUp();
    else if (!this.#bodyComplete || this.#upload?.ended === false) {
      const late = new RelayError("request_timeout", "The request body did not arrive in time.");
      this.#upload?.fail(late);
      this.closeAfter = true;
      this.#tell(late);
    } else {
      this.#tell(new RelayError("unavailable", "The relay did not answer in time; retry the request.", { retryAfterSeconds: 1 }));
      this.leave();
    }
  }

  override fail(error: unknown): void {
    if (this.#asked > 0) this.#hold("what", error);
    else this.#tell(error);
  }

  #tell(error: unknown): void {
    this.#afterBody(() => super.fail(error));
  }

  #hold(concern: Concern, error: unknown): void {
    if (this.#held !== null && CONCERNS.indexOf(this.#held.concern) <= CONCERNS.indexOf(concern)) return;
    this.#held = { concern, error };
  }

  /** Continues when `answer` and all other pending checks are done. `decide` throws if the request is refused. */
  #ask<T>(answer: Promise<T>, concern: Concern, decide: (answer: T) => void): void {
    this.attach();
    this.#asked += 1;
    const answered = (step: () => void) => {
      try {
        step();
      } catch (error) {
        this.#hold(concern, error);
      }
      this.#asked -= 1;
      if (this.#asked > 0) return;
      if (this.#held !== null) this.#tell(this.#held.error);
      else this.guard(() => this.#proceed());
    };
    answer.then(
      (late) => answered(() => decide(late)),
      (error) => answered(() => this.#hold(concern, error)),
    );
  }

  protected override answer(reply: AnyReply): void {
    this.#afterBody(() => super.answer(reply));
  }

  /**
   * Responds after the whole body has arrived, if it is read as it arrives or is too long, unless the connection is closed after the response: a client that is
   * still writing would not see its answer.
   */
  #afterBody(tell: () => void): void {
    const refused = this.#refused;
    if (refused !== null && !refused.isOver && this.open) {
      this.#awaitSilence();
      refused.whenOver((isWhole) => {
        this.closeAfter = !isWhole;
        tell();
      });
      return;
    }
    const upload = this.#upload;
    if (upload === null || upload.ended || this.closeAfter || !this.open) tell();
    else upload.discard().then(tell, tell);
  }

  protected owner(): string {
    return this.#caller === null || this.#caller.type === "anonymous" ? this.ipAddress : senderOf(this.#caller);
  }

  protected aborted(): void {
    this.#upload?.fail(new RelayError("request_timeout", "The connection ended before the request body was complete."));
  }

  /** Before anything can be refused, so that a page can read the error. */
  #readOrigin(req: RequestHead): void {
    this.#origin = req.getHeader("origin");
    if (this.#origin === "" || !this.context.authenticator.isOriginListed(this.#origin)) return;
    this.fixedHeaders = [...this.fixedHeaders, ...corsHeaders(this.#origin)];
  }

  #admit(req: RequestHead): void {
    if (this.context.isFull())
      throw new RelayError("too_busy", "Too many requests are in progress; retry shortly.", { retryAfterSeconds: 1 });
    const { bucket } = this.route;
    if (bucket === null) return;
    const admission = bucket.take(this.#address.limitHigh, this.#address.limitLow);
    if (admission instanceof Promise) {
      // Of the head nothing is left when it is known.
      const beyond = this.#beyond(req);
      this.#ask(admission, "rate", (late) =>
        late === "limited" && beyond !== null ? this.#admitBeyond(beyond) : this.#applyRateLimit(late, bucket.perSecond),
      );
      return;
    }
    const beyond = admission === "limited" ? this.#beyond(req) : null;
    if (beyond === null) this.#applyRateLimit(admission, bucket.perSecond);
    else this.#admitBeyond(beyond);
  }

  /** What its caller may have beyond the limit of its address; null for all but a partner that is known already and whose record says so. */
  #beyond(req: RequestHead): Beyond | null {
    const { raised, readsApiKey, readsAuthorization } = this.route;
    if (raised === null) return null;
    const partner = this.context.authenticator.knownPartner({
      apiKey: readsApiKey ? req.getHeader("api-key") : "",
      authorization: readsAuthorization ? req.getHeader("authorization") : "",
    });
    const perSecond = partner?.rates[raised.rate];
    return partner === null || perSecond === undefined ? null : { bucket: raised.bucket, partnerId: partner.partnerId, perSecond };
  }

  #admitBeyond({ bucket, partnerId, perSecond }: Beyond): void {
    this.ownLimit = perSecond;
    const admission = bucket.take(0, partnerId, perSecond);
    if (admission instanceof Promise) this.#ask(admission, "rate", (late) => this.#applyRateLimit(late, perSecond));
    else this.#applyRateLimit(admission, perSecond);
  }

  #applyRateLimit(admission: Admission, perSecond: number): void {
    if (typeof admission === "number") {
      this.remaining = admission;
      return;
    }
    this.remaining = 0;
    const { endpoint } = this.route;
    if (endpoint.rateLimit !== undefined) this.context.observe.rateLimited?.(endpoint.rateLimit.bucket);
    if (admission === "table_full") this.context.observe.rateLimitTableFull?.(endpoint.name);
    const message = admission === "limited" ? `Rate limit exceeded: ${perSecond} requests per second` : "Rate limit exceeded";
    throw new RelayError("rate_limited", message, { retryAfterSeconds: 1 });
  }

  #requireLength(contentLength: string): void {
    const length = contentLength === "" ? 0 : Number(contentLength);
    const { bodyBytesMax } = this.route;
    if (length <= bodyBytesMax) return;
    if (length <= bodyBytesMax + REFUSED_BYTES_MAX) {
      this.attach();
      const refused = this.#discardRest();
      this.#onData((chunk, isLast) => this.#discard(refused, chunk, isLast));
    } else this.closeAfter = true;
    throw this.#tooLong();
  }

  /**
   * An empty body has no type: some clients name a form's content type without sending a body. One without a type is refused only from a page:
   * a browser lets any page send it to any server.
   */
  #typeRefusal(req: RequestHead): RelayError | null {
    const length = req.getHeader("content-length");
    if (length === "0") return null;
    const coded = codingRefusal(req);
    if (coded !== null) return coded;
    // Whether there is a body at all is known once it has come.
    if (this.route.endpoint.bodyFormat !== undefined) return formTypeRefusal(this.#contentType);
    if (this.#contentType !== "") return contentTypeRefusal(this.#contentType);
    const hasBody = length !== "" || req.getHeader("transfer-encoding") !== "";
    return hasBody && isFromPage(req) ? notJson() : null;
  }

  #discardRest(): RefusedBody {
    this.#refused = new RefusedBody();
    return this.#refused;
  }

  #discard(refused: RefusedBody, chunk: ArrayBuffer, isLast: boolean): void {
    if (refused.isAwaited) this.#awaitSilence();
    refused.take(chunk, isLast);
  }

  /** A client that says no more is answered before its time for the whole body is over. */
  #awaitSilence(): void {
    const { monotonicMs, limits } = this.context;
    this.deadlineAtMs = Math.min(monotonicMs() + REFUSED_SILENCE_MS, this.startedMs + limits.bodyDeadlineMs);
  }

  #tooLong(): RelayError {
    return new RelayError("payload_too_large", `body: may have at most ${this.route.bodyBytesMax} bytes`);
  }

  /**
   * uWebSockets has sent the interim response before it tells of the request, but only for exactly `100-continue`. Java's client writes `100-Continue`, and takes no
   * other response in its place.
   */
  #continueInAnyCase(expect: string): void {
    if (expect === "" || expect === CONTINUE || expect.toLowerCase() !== CONTINUE) return;
    writeContinue(this.res);
    this.continued = true;
  }

  /** A client with another expectation might wait for a response that never comes. */
  #requireNoOtherExpectation(expect: string): void {
    if (expect === "" || expect.toLowerCase() === CONTINUE) return;
    this.closeAfter = true;
    throw new RelayError("expectation_failed", "Expect: only 100-continue is supported; leave the header out");
  }

  #authenticate(req: RequestHead): void {
    const { readsAuthorization, readsApiKey, readsCookie, endpoint, method } = this.route;
    if (endpoint.auth === "signature") {
      this.#signed = { head: signedHead(req, this.withoutBody ? "HEAD" : method), membersError: null };
      return;
    }
    if (!readsAuthorization && !readsApiKey && !readsCookie) {
      this.#caller = ANONYMOUS;
      return;
    }
    const apiKey = readsApiKey ? req.getHeader("api-key") : "";
    const authorization = readsAuthorization ? req.getHeader("authorization") : "";
    const cookie = readsCookie ? req.getLines("cookie", "; ") : "";
    // With Basic a browser would ask for a password over the operators' page.
    if (readsCookie && endpoint.auth === "admin" && req.getHeader("x-relay-portal") === "1") this.challenged = "fullAdminSession";
    // Whoever has sent a key was not a browser by itself. Where no bearer key counts, one says nothing of who has sent the cookie beside it.
    const hasMerchantKey = this.route.readsMerchantKey && isBearer(authorization);
    if (this.route.checksOwnPage && !hasMerchantKey) this.#requireOwnPage(req, cookie);
    const verdict = this.context.authenticator.authenticate(endpoint.auth, {
      authorization,
      apiKey,
      cookie,
      origin: apiKey === "" ? "" : requestOrigin(this.#origin, req.getHeader("referer")),
      ipAddress: this.#address.text,
    });
    const foreign = this.route.refusesForeignPages && apiKey === "" && !hasMerchantKey ? this.#foreignOrigin(req) : null;
    if (verdict instanceof Promise) this.#ask(verdict, "who", (late) => this.#authenticated(late, foreign));
    else this.#authenticated(verdict, foreign);
  }

  /**
   * Before the session is looked for, so that the answer says nothing of it. Where nobody has to be signed in, without a cookie too: otherwise a page of another
   * origin could sign a visitor in as somebody else, whose portal the visitor then fills in.
   */
  #requireOwnPage(req: RequestHead, cookie: string): void {
    const { auth } = this.route.endpoint;
    // A login is for machines: who sends it without a session is checked as ever (`refusesForeignPages`).
    if (auth === "admin" && !this.context.authenticator.namesAdministratorSession(cookie)) return;
    if (cookie === "" && !isSessionOptional(auth)) return;
    requireOwnPage({
      secFetchSite: req.getHeader("sec-fetch-site"),
      isOriginOwn: isOwnOrigin(req.getHeader("origin"), req, this.context.ownOrigin),
      contentType: req.getHeader("content-type"),
      portalHeader: req.getHeader("x-relay-portal"),
    });
  }

  #foreignOrigin(req: RequestHead): string | null {
    return foreignOrigin(this.route.readsApiKey ? this.#origin : req.getHeader("origin"), req, this.context.ownOrigin);
  }

  /** `foreign`: the origin of the other site's page that made a browser send the login. */
  #authenticated(verdict: Caller | Refusal, foreign: string | null = null): void {
    if (verdict.type === "refused") throw new RelayError(verdict.code, verdict.message, verdict);
    if (foreign !== null && verdict.type !== "anonymous" && !this.context.authenticator.isOriginListedBy(verdict, foreign))
      throw new RelayError("forbidden", FOREIGN_PAGE);
    const { endpoint, sessionNeeds, machineRight } = this.route;
    requireRole(verdict, endpoint.role, machineRight);
    const permitted = sessionNeeds === null ? undefined : this.context.authenticator.requireSessionNeeds(verdict, sessionNeeds);
    if (permitted instanceof Promise) this.#askPermission(permitted, verdict);
    else this.#caller = verdict;
  }

  #askPermission(permitted: Promise<void>, caller: Caller): void {
    this.#ask(permitted, "who", () => {
      this.#caller = caller;
    });
  }

  /** An error in a signed request's members is reported only after its signature was verified. */
  #readMembersOf(req: RequestHead, match: Match<ServedRoute>): void {
    if (this.#signed === null) {
      this.#readMembers(req, match);
      return;
    }
    try {
      this.#readMembers(req, match);
    } catch (error) {
      this.#signed.membersError = error;
    }
  }

  #readMembers(req: RequestHead, match: Match<ServedRoute>): void {
    const { compiled, endpoint } = this.route;
    this.#params = compiled.readParams(match.values);
    const ignored: string[] = [];
    this.#query = compiled.readQuery(req.getQuery() ?? "", ignored);
    this.#headers = compiled.readHeaders === null ? NO_HEADERS : compiled.readHeaders((name) => req.getText(name) || undefined);
    if (endpoint.idempotency !== undefined) this.#idempotencyKey = readIdempotencyKey(headerOrNull(req, "idempotency-key"));
    const successor = endpoint.deprecated && successorOf(endpoint.deprecated.successor, endpoint.path, match.values);
    if (successor) this.fixedHeaders = [...this.fixedHeaders, "Link", `<${successor}>; rel="successor-version"`];
    this.#nameIgnored(ignored);
  }

  /** The header stands last in `fixedHeaders`, and is replaced if more is ignored. */
  #nameIgnored(names: readonly string[]): void {
    if (names.length === 0) return;
    const others = this.#ignored.length === 0 ? this.fixedHeaders : this.fixedHeaders.slice(0, -2);
    this.#ignored = [...this.#ignored, ...names];
    this.fixedHeaders = [...others, IGNORED_HEADER, ignoredHeader(this.#ignored)];
  }

  /** `refusal`: an error that does not depend on the content of the body. */
  #collectBody(refusal: RelayError | null): void {
    this.attach();
    const collector = new BodyCollector(this.route.bodyBytesMax);
    this.#onData((chunk, isLast) => {
      if (this.#refused !== null) {
        this.#discard(this.#refused, chunk, isLast);
        return;
      }
      const outcome = collector.take(chunk, isLast);
      if (outcome === "more") return;
      if (outcome === "too_large") {
        if (!isLast) this.#discardRest();
        this.#bodyRefused(collector.beginning, false, this.#tooLong());
      } else if (refusal !== null) this.#bodyRefused(outcome, true, refusal);
      else this.#bodyArrived(outcome);
    });
  }

  /** The bytes are valid only during this call. */
  #bodyRefused(bytes: Buffer, isWhole: boolean, error: RelayError): void {
    if (this.route.endpoint.runUnread === undefined) throw error;
    this.#unread = { bytes: Buffer.from(bytes), isWhole, error };
    this.#bodyComplete = true;
    this.#proceed();
  }

  /** The handler runs while the body arrives, and pauses it if it is slower. */
  #streamBody(contentType: string, { member, bytesMax }: { member: string; bytesMax: number }): void {
    requireMultipart(contentType);
    this.attach();
    this.#bodyComplete = true;
    const { bodyBytesMax, deadlineMs } = this.route;
    const { monotonicMs, limits } = this.context;
    const pace = new LeastPace(limits.pace.uploadBytesPerSecond, limits.pace.graceMs, monotonicMs);
    const upload = new Upload(this.res, {
      contentType,
      member,
      fileBytesMax: bytesMax,
      bodyBytesMax,
      progressed: (awaited, ended) => {
        const atMs = monotonicMs();
        if (ended) this.deadlineAtMs = atMs + deadlineMs;
        else if (awaited === "reader") this.deadlineAtMs = atMs + limits.uploadWriteMs;
        else this.deadlineAtMs = Math.min(atMs + limits.uploadStallMs, pace.awaitClient());
      },
    });
    this.#upload = upload;
    this.#onData((chunk, isLast) => {
      pace.moved(chunk.byteLength);
      if (this.#refused !== null) this.#discard(this.#refused, chunk, isLast);
      else if (upload.take(chunk, isLast) === "too_large") {
        if (!isLast) this.#discardRest();
        throw this.#tooLong();
      }
    });
  }

  #onData(take: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    this.res.onData((chunk, isLast) => {
      if (!this.open) return;
      this.corked = true;
      try {
        take(chunk, isLast);
      } catch (error) {
        this.fail(error);
      }
      this.corked = false;
    });
  }

  #bodyArrived(bytes: Buffer): void {
    // The bytes are valid only during this call.
    if (this.#signed !== null) this.#checkSignature(this.#signed.head, Buffer.from(bytes));
    else this.#takeBody(bytes);
  }

  /** Nothing in the request is read before its signature was verified. */
  #checkSignature(head: Omit<SignedRequest, "body">, body: Buffer): void {
    const { signatures } = this.context;
    if (signatures === null) throw new Error("no signature check is configured");
    this.attach();
    this.#bodyComplete = true;
    this.deadlineAtMs = this.startedMs + this.route.deadlineMs;
    signatures.authenticate({ ...head, body }).then(
      (verdict) =>
        this.guard(() => {
          this.#authenticated(verdict);
          if (this.#signed !== null && this.#signed.membersError !== null) throw this.#signed.membersError;
          this.#takeBody(body);
        }),
      (error) => this.fail(error),
    );
  }

  #takeBody(bytes: Buffer): void {
    let read: JsonBody | undefined;
    try {
      read = this.route.compiled.readBody?.(bytes, this.#contentType);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      this.#bodyRefused(bytes, true, error);
      return;
    }
    this.#body = read?.value;
    this.#bodySent = read?.sent;
    this.#bodyText = read?.text ?? "";
    if (read !== undefined) this.#nameIgnored(read.ignored);
    this.#bodyComplete = true;
    this.#proceed();
  }

  #keepUnread(caller: Caller, { bytes, isWhole, error }: { bytes: Buffer; isWhole: boolean; error: RelayError }): void {
    const body = { bytes, isWhole, contentType: this.#contentType, reason: error.message };
    const kept = this.route.endpoint.runUnread?.({ params: this.#params, caller, body }) ?? Promise.resolve();
    this.attach();
    this.deadlineAtMs = this.startedMs + this.route.deadlineMs;
    kept.then(
      () => this.fail(error),
      (failed) => this.fail(failed),
    );
  }

  /** Runs the handler once the client is admitted, and both the caller and the body are known. */
  #proceed(): void {
    const caller = this.#caller;
    if (caller === null || this.#asked > 0 || !this.#bodyComplete || !this.open) return;
    if (this.#unread !== null) {
      this.#keepUnread(caller, this.#unread);
      return;
    }
    const reply = this.route.endpoint.run({
      params: this.#params,
      query: this.#query,
      headers: this.#headers,
      body: this.#body,
      bodySent: this.#bodySent,
      bodyText: this.#bodyText,
      upload: this.#upload === null ? NO_UPLOAD : this.#upload.file,
      caller,
      request: this,
      idempotencyKey: this.#idempotencyKey,
      operationId: "",
    });
    if (!(reply instanceof Promise)) {
      this.answer(reply);
      return;
    }
    this.attach();
    if (this.#upload === null) this.deadlineAtMs = this.startedMs + this.route.deadlineMs;
    reply.then(
      (late) => this.answer(late),
      (error) => this.fail(error),
    );
  }
}

/** A partner's own limit, and where its requests are counted. */
interface Beyond {
  readonly bucket: RateLimitBucket;
  readonly partnerId: number;
  readonly perSecond: number;
}

/**
 * In the order in which a request is checked: a client beyond its rate limit learns nothing else, and an unauthenticated one nothing about
 * its request.
 */
const CONCERNS = ["rate", "who", "what"] as const;
type Concern = (typeof CONCERNS)[number];

const NO_UPLOAD: IncomingFile = {
  read: () => Promise.reject(new Error("this endpoint declares no upload")),
  name: () => null,
};
const FOREIGN_PAGE = "Pages of other origins may not call this path with a login";
const ANONYMOUS: Caller = { type: "anonymous" };
const NO_HEADERS = Object.freeze({});

/** A body that is compressed is not read: its size is not known before it was unpacked. */
function codingRefusal(req: RequestHead): RelayError | null {
  const codings = req.getLines("content-encoding", ",").toLowerCase();
  if (codings === "" || /^[\s,]*(?:identity[\s,]*)*$/.test(codings)) return null;
  return new RelayError("unsupported_media_type", "body: must be sent without a Content-Encoding");
}
