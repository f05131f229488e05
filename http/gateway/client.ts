import { setTimeout as delay } from "node:timers/promises";
import type { Static, TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import CircuitBreaker from "opossum";
import type { CardGateway } from "../../engine/gateway/card-gateway.ts";
import type {
  GatewayAnswer,
  GatewayCredentials,
  GatewayFollowedUp,
  GatewayFollowUp,
  GatewayOrder,
  GatewayPayment,
  GatewayPaymentState,
  GatewayTotals,
} from "../../engine/gateway/gateway.ts";
import { cutText } from "../../engine/kernel/cut-text.ts";
import { maskPans, maskPanValue } from "../../engine/kernel/mask.ts";
import { toMinorUnits } from "../../engine/kernel/money.ts";
import { parseJson } from "../../engine/kernel/well-formed.ts";
import {
  AnyAnswer,
  FollowUpAnswer,
  type FollowUpRequest,
  InitAnswer,
  type InitRequest,
  type MovementAnswer,
  PROTOCOL_RESULT,
  VerifyAnswer,
} from "./forms.ts";
import { createSemaphore } from "./semaphore.ts";
import { CallFailed, createTransport, type SignedCall, type WireAnswer } from "./transport.ts";

export interface GatewayClientOptions {
  /** Base address with its context path; operations are found below it at `/pgw/payment/`. */
  url: string;
  nowMs(): number;
  limits?: Partial<GatewayLimits>;
  /** The circuit opened (the gateway is left alone), or closed again. */
  circuit?(state: "open" | "closed"): void;
}

export interface GatewayLimits {
  /** Of a whole call with its repetitions, and of the wait for a free place. Below the ten seconds that an endpoint has to answer. */
  deadlineMs: number;
  /** Calls under way at once, each on a connection of its own; the gateway is not to be flooded after an outage. */
  callsMax: number;
  /** Calls that wait for a place; beyond it they are `unavailable` at once. */
  waitingMax: number;
  /** Attempts of a call that may be repeated. */
  attemptsMax: number;
  /** Pause before the second attempt; doubled before the third. */
  pauseMs: number;
  /** How long a gateway that failed is left alone before one call tries it again. */
  restMs: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  deadlineMs: 8_000,
  callsMax: 128,
  waitingMax: 4_096,
  attemptsMax: 3,
  pauseMs: 100,
  restMs: 2_000,
};

/** The circuit opens when half of the calls of ten seconds failed, and there were at least these many. */
const BREAKER_CALLS_MIN = 10;
const BREAKER_WINDOW_MS = 10_000;

/** Answers of a gateway, or of something before it, that has no time now. */
const BUSY = new Set([408, 425, 429]);

/** Codes that say nothing for good: it happened, is happening, or is to be asked again. Beside them no status makes an answer a refusal. */
const NO_REFUSAL: ReadonlySet<string> = new Set([
  PROTOCOL_RESULT.completed,
  PROTOCOL_RESULT.pending,
  PROTOCOL_RESULT.tooMany,
  PROTOCOL_RESULT.internal,
  PROTOCOL_RESULT.unavailable,
]);

/** What is kept of members that decide nothing. */
const DESCRIPTION_LENGTH_MAX = 1_024;
const DETAIL_LENGTH_MAX = 32;
const NAME_LENGTH_MAX = 128;
const URL_LENGTH_MAX = 2_048;

/** What fits into a signature's keyId. */
const KEY_ID = /^[\x21\x23-\x7e]{1,64}$/;

export interface GatewayClient extends CardGateway {
  close(): void;
}

/** `verify` may be repeated after any failure; the others only where nothing of them was sent. */
type Repeatable = "always" | "if_never_sent";

type Classified<T> =
  | { type: "answered"; value: T; head: Head; httpStatus: number }
  | { type: "refused"; head: Head; httpStatus: number }
  /** The status is undefined where there was no answer. */
  | { type: "unavailable"; reason: string; httpStatus?: number };

interface GatewayCall extends SignedCall {
  txId: string;
}

interface Head {
  resultCode: string;
  description: string;
}

/** The card gateway over HTTP (PROTOCOL.md). One circuit breaker: the gateway has one address. */
export function createGatewayClient({ url, nowMs, limits: given = {}, circuit }: GatewayClientOptions): GatewayClient {
  const limits = { ...GATEWAY_LIMITS, ...given };
  const transport = createTransport({ url, socketsMax: limits.callsMax, nowMs });
  const semaphore = createSemaphore(limits.callsMax, limits.waitingMax);
  const breaker = new CircuitBreaker((call: SignedCall, deadlineMs: number) => attempt(call, deadlineMs), {
    // Each call has a deadline of its own.
    timeout: false,
    volumeThreshold: BREAKER_CALLS_MIN,
    rollingCountTimeout: BREAKER_WINDOW_MS,
    errorThresholdPercentage: 50,
    resetTimeout: limits.restMs,
  });

  // Each trial that fails opens it anew; told is only what changes.
  let state: "open" | "closed" = "closed";
  const became = (next: "open" | "closed"): void => {
    if (state !== next) circuit?.(next);
    state = next;
  };
  breaker.on("open", () => became("open"));
  breaker.on("close", () => became("closed"));

  async function attempt(call: SignedCall, deadlineMs: number): Promise<WireAnswer> {
    const answer = await transport.call(call, deadlineMs);
    if (answer.status >= 500 || BUSY.has(answer.status)) throw new CallFailed(`answered ${answer.status}`, false, answer.status);
    return answer;
  }

  async function attempts(call: SignedCall, repeatable: Repeatable, giveUpAtMs: number): Promise<WireAnswer> {
    for (let count = 1; ; count++) {
      try {
        return await breaker.fire(call, Math.max(1, giveUpAtMs - performance.now()));
      } catch (error) {
        // An open circuit breaker is not a CallFailed: the call is not repeated.
        if (!(error instanceof CallFailed)) throw error;
        const pauseMs = limits.pauseMs * 2 ** (count - 1) * (0.5 + Math.random());
        const mayRepeat = repeatable === "always" || error.neverSent;
        if (!mayRepeat || count >= limits.attemptsMax || performance.now() + pauseMs >= giveUpAtMs) throw error;
        await delay(pauseMs);
      }
    }
  }

  /** Never rejects for what the network or the gateway does. */
  async function ask<S extends TSchema>(call: GatewayCall, repeatable: Repeatable, read: Reader<S>): Promise<Classified<Static<S>>> {
    if (!KEY_ID.test(call.keyId))
      return { type: "unavailable", reason: "the account's merchant id contains characters that cannot be sent" };
    const giveUpAtMs = performance.now() + limits.deadlineMs;
    const permit = await semaphore.acquire(limits.deadlineMs);
    if (permit === null) return { type: "unavailable", reason: "too many calls are in progress" };
    try {
      return read(await attempts(call, repeatable, giveUpAtMs), call.txId);
    } catch (error) {
      if (error instanceof CallFailed) return { type: "unavailable", reason: error.message, ...statusOf(error.status) };
      if (error instanceof Error && CircuitBreaker.isOurError(error))
        return { type: "unavailable", reason: "the circuit breaker is open after failed calls" };
      throw error;
    } finally {
      permit.release();
    }
  }

  async function followUp(
    operation: "capture" | "reversal" | "refund",
    credentials: GatewayCredentials,
    { txId, origTranId, amount, currency }: GatewayFollowUp,
  ): Promise<GatewayAnswer<GatewayFollowedUp>> {
    const request: FollowUpRequest = {
      txHead: { merId: credentials.merchantId, txId },
      txReq: { origTranId, amount: { value: toMinorUnits(amount, currency), currency } },
    };
    const classified = await ask(post(operation, request, credentials), "if_never_sent", readFollowUp);
    if (classified.type === "answered") {
      const { origTranId: said } = classified.value.txRes;
      // A gateway that took the txId for one of another payment has not executed this one.
      if (typeof said === "string" && said !== origTranId) {
        return { type: "unavailable", reason: "the answer belongs to another movement", httpStatus: classified.httpStatus };
      }
    }
    return answerOf(classified, ({ txRes }, head) => ({ tranId: String(txRes.tranId), ...head }));
  }

  return {
    init: async (credentials, order) => {
      const classified = await ask(post("init", initRequest(credentials, order), credentials), "if_never_sent", readInit);
      if (classified.type === "answered" && readPageUrl(classified.value.redirectURL) === null) {
        return unread(classified.httpStatus, "the answer has no address of a payment page");
      }
      return answerOf(classified, ({ paymentId, redirectURL }) => ({ paymentId, redirectUrl: redirectURL }));
    },
    verify: async (credentials, { txId, paymentId }) => {
      const query = new URLSearchParams({ merId: credentials.merchantId, ...(paymentId === null ? {} : { paymentId }), txId });
      const classified = await ask(
        { method: "GET", path: `/pgw/payment/verify?${query}`, body: "", txId, ...keyOf(credentials) },
        "always",
        readVerify,
      );
      return verifyAnswerOf(classified, paymentId);
    },
    capture: (credentials, request) => followUp("capture", credentials, request),
    reversal: (credentials, request) => followUp("reversal", credentials, request),
    refund: (credentials, request) => followUp("refund", credentials, request),
    close: () => {
      breaker.shutdown();
      transport.close();
    },
  };
}

function keyOf({ merchantId, secret }: GatewayCredentials): { keyId: string; secret: string } {
  return { keyId: merchantId, secret };
}

function post(operation: string, body: InitRequest | FollowUpRequest, credentials: GatewayCredentials): GatewayCall {
  return { method: "POST", path: `/pgw/payment/${operation}`, body: JSON.stringify(body), txId: body.txHead.txId, ...keyOf(credentials) };
}

function initRequest({ merchantId, terminalId }: GatewayCredentials, order: GatewayOrder): InitRequest {
  return {
    txHead: { merId: merchantId, txId: order.txId },
    txReq: {
      txOp: order.capture === "now" ? "SALE" : "AUTH",
      amount: { value: toMinorUnits(order.amount, order.currency), currency: order.currency },
      description: order.description,
      ...(order.merchantReference === null ? {} : { merchantReference: order.merchantReference }),
      expiresAt: new Date(order.expiresAtMs).toISOString(),
    },
    poiInfo: { pitype: order.instrument === "card" ? "CC" : "BPE", terminalId },
    ...(order.customerEmail === null ? {} : { buyer: { email: order.customerEmail } }),
    notifyURL: order.notifyUrl,
    ...(order.returnUrl === null ? {} : { returnURL: order.returnUrl }),
  };
}

/** `txId`: of the request, which an answer to it names. */
type Reader<S extends TSchema> = (answer: WireAnswer, txId: string) => Classified<Static<S>>;

const readInit = reader(InitAnswer, [PROTOCOL_RESULT.completed]);
/** A verify answers the payment's own code: which one it is says nothing about the verify. */
const readVerify = reader(VerifyAnswer, null);
const readFollowUp = reader(FollowUpAnswer, [PROTOCOL_RESULT.completed]);

/** Reads an answer of the protocol; anything else that came over HTTP (a proxy's page, say) is `unavailable`. */
function reader<S extends TSchema>(schema: S, codes: readonly string[] | null): Reader<S> {
  const whole = TypeCompiler.Compile(schema);
  const any = TypeCompiler.Compile(AnyAnswer);
  return ({ status, text }, txId) => {
    let body: unknown;
    try {
      body = parseJson(text);
    } catch {
      return unread(status, `answered ${status} without JSON`);
    }
    if (!any.Check(body)) return unread(status, `answered ${status} in an unexpected form`);
    const { resultCode, errDescription } = body.txHead;
    const head = { resultCode, description: readText(errDescription, DESCRIPTION_LENGTH_MAX) ?? "" };
    // A cache in between may have answered with the response to another request.
    if ((body.txHead.txId ?? txId) !== txId) return unread(status, "the answer belongs to another transaction");
    if (status === 200 && (codes === null || codes.includes(resultCode))) {
      if (whole.Check(body)) return { type: "answered", value: body, head, httpStatus: status };
      return unread(status, `answered ${status} without the required members`);
    }
    if ((status === 200 || status >= 400) && !NO_REFUSAL.has(resultCode)) return { type: "refused", head, httpStatus: status };
    return unread(status, `answered ${status} with ${resultCode}`);
  };
}

function unread(httpStatus: number, reason: string) {
  return { type: "unavailable", reason, httpStatus } as const;
}

function statusOf(httpStatus: number | undefined): { httpStatus?: number } {
  return httpStatus === undefined ? {} : { httpStatus };
}

function answerOf<T, Done>(classified: Classified<T>, done: (value: T, head: Head) => Done): GatewayAnswer<Done> {
  switch (classified.type) {
    case "answered":
      return { type: "done", value: done(classified.value, classified.head), httpStatus: classified.httpStatus };
    case "refused":
      return { type: "refused", ...classified.head, httpStatus: classified.httpStatus };
    case "unavailable":
      return classified;
  }
}

/**
 * Never `refused`: a verify that was refused (a wrong secret, say) tells nothing about the payment. `absent` only on the protocol's own word
 * for it, since a 404 may come from anything on the way.
 */
function verifyAnswerOf(classified: Classified<Static<typeof VerifyAnswer>>, asked: string | null): GatewayAnswer<GatewayPaymentState> {
  if (classified.type === "unavailable") return classified;
  const { httpStatus } = classified;
  const { resultCode, description } = classified.head;
  if (classified.type === "refused") {
    if (httpStatus === 404 && resultCode === PROTOCOL_RESULT.paymentUnknown) return { type: "done", value: { type: "absent" }, httpStatus };
    return unread(httpStatus, `the gateway refused the verify with ${resultCode}`);
  }
  const { result, paymentId, redirectURL, txRes } = classified.value;
  if (asked !== null && asked !== paymentId) return unread(httpStatus, "the answer belongs to another payment");
  switch (result) {
    case "PENDING":
      return { type: "done", value: { type: "pending", paymentId, redirectUrl: readPageUrl(redirectURL) }, httpStatus };
    case "KO":
      if (resultCode === PROTOCOL_RESULT.completed) return unread(httpStatus, "the answer contradicts itself");
      return { type: "done", value: { type: "failed", paymentId, resultCode, description }, httpStatus };
    case "OK": {
      if (resultCode !== PROTOCOL_RESULT.completed) return unread(httpStatus, "the answer contradicts itself");
      if (txRes === undefined || txRes === null) return unread(httpStatus, "the answer has no movement");
      const payment = paymentOf(txRes, classified.head);
      return { type: "done", value: { type: "paid", paymentId, payment, ...totalsOf(txRes) }, httpStatus };
    }
  }
}

function paymentOf(movement: Static<typeof MovementAnswer>, head: Head): GatewayPayment {
  const { tranId, authCode, maskedPan, cardBrand, payerName, payerLastName, amount } = movement;
  const pan = readText(maskedPan, DETAIL_LENGTH_MAX);
  return {
    ...head,
    tranId: String(tranId),
    authCode: readText(authCode, DETAIL_LENGTH_MAX),
    maskedPan: pan === null ? null : maskPanValue(pan),
    cardBrand: readText(cardBrand, DETAIL_LENGTH_MAX),
    payerName: readText(payerName, NAME_LENGTH_MAX),
    payerLastName: readText(payerLastName, NAME_LENGTH_MAX),
    ...(amount === undefined ? {} : { amount: { amountMinor: amount.value, currency: amount.currency } }),
  };
}

/** A member that decides nothing, cut to its maximum length and with card numbers masked; null if it is not a text. */
function readText(value: unknown, lengthMax: number): string | null {
  if (typeof value === "number") return readText(String(value), lengthMax);
  return typeof value === "string" ? cutText(maskPans(value), lengthMax) : null;
}

/** An address that was cut leads nowhere. */
/** Buyers' browsers are sent there, and what is no address of a page may be a script. */
function readPageUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > URL_LENGTH_MAX || !URL.canParse(value)) return null;
  return /^https?:$/.test(new URL(value).protocol) ? value : null;
}

function totalsOf({ captured, reversedValue, refundedValue }: Static<typeof MovementAnswer>): { totals?: GatewayTotals } {
  const totals = {
    ...(typeof captured === "boolean" ? { captured } : {}),
    ...(isMinor(reversedValue) ? { reversedMinor: reversedValue } : {}),
    ...(isMinor(refundedValue) ? { refundedMinor: refundedValue } : {}),
  };
  return Object.keys(totals).length === 0 ? {} : { totals };
}

function isMinor(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
