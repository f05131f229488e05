import { LINK_LIFETIME_MS } from "../kernel/limits.ts";
import { fromMinorUnits } from "../kernel/money.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { amountOf, isFinal, type LinkOrder, type LinkRecord } from "../links/link.ts";
import type { MerchantAccount } from "../links/merchant-accounts.ts";
import type { Attempt, AttemptState, IntentOrder, IntentRecord, PaidAttempt } from "./intent.ts";
import { captureOf } from "./rules.ts";

/** The data that the link of an attempt carries. */
export interface AttemptAttachment {
  readonly surface: "compat";
  readonly intent: string;
  readonly n: number;
}

export function attachmentText(attachment: AttemptAttachment): string {
  return JSON.stringify(attachment);
}

/** Returns the attachment of an attempt's link, or null if the link belongs to no attempt. */
export function readAttemptAttachment(text: string | null): AttemptAttachment | null {
  if (text === null || !text.startsWith('{"surface":"compat",')) return null;
  const { surface, intent, n }: { [Member in keyof AttemptAttachment]?: unknown } = JSON.parse(text);
  if (surface !== "compat" || typeof intent !== "string" || typeof n !== "number") throw new Error("an attempt without its intent");
  return { surface, intent, n };
}

/** The gateway account that a link uses. */
export type AttemptAccount = Extract<MerchantAccount, { type: "account" }>;

/** Returns the order of the link for the intent's next attempt. */
export function linkOrderOf(record: IntentRecord, order: IntentOrder, account: AttemptAccount, returnUrl: string, atMs: number): LinkOrder {
  const n = record.attempts.length + 1;
  return {
    txId: `${record.id}.${n}`,
    terminalId: account.credentials.terminalId,
    partnerId: record.partnerId,
    merchantId: account.credentials.merchantId,
    ...(account.apart ? {} : { shop: record.merchantId }),
    // Callers of other surfaces never have this name, so they cannot change the link.
    owner: `merchant:${record.merchantId}`,
    amount: fromMinorUnits(order.amountMinor, order.currency),
    amountMinor: order.amountMinor,
    currency: order.currency,
    description: order.description,
    merchantReference: record.id,
    customerEmail: order.receiptEmail,
    instrument: "card",
    capture: captureOf(order),
    returnUrl,
    createdAtMs: atMs,
    expiresAtMs: atMs + LINK_LIFETIME_MS,
    attachment: attachmentText({ surface: "compat", intent: record.id, n }),
  };
}

/** Returns the id of the charge of the attempt with this link. */
export function chargeIdOf(txId: string, digest: Digest): string {
  return prefixedId("ch_", digest(`charge ${txId}`));
}

/** Returns the part of a link that its intent mirrors. */
export function attemptOf(link: LinkRecord, before: Attempt | null, digest: Digest): Attempt {
  const { order, outcome, paymentUrl, followUps, settled } = link;
  const { txId, amountMinor, currency, capture, createdAtMs, expiresAtMs } = order;
  return {
    txId,
    chargeId: before?.chargeId ?? chargeIdOf(txId, digest),
    state: attemptStateOf(link),
    amountMinor,
    currency,
    capture,
    createdAtMs,
    url: paymentUrl,
    expiresAtMs,
    endedAtMs: before?.endedAtMs ?? (isFinal(link.state) ? (outcome?.atMs ?? null) : null),
    resultCode: outcome?.resultCode ?? null,
    resultDescription: outcome?.description ?? null,
    settled: settled === true,
    paid: paidOf(link),
    followUps: followUps.map(({ id, type, amountMinor, state, requestedAtMs, finishedAtMs, description }) => ({
      ...{ id, type, amountMinor, state, requestedAtMs, finishedAtMs, description },
    })),
    unwanted: before?.unwanted ?? false,
  };
}

function attemptStateOf({ state, overdue, revoked, paymentUrl }: LinkRecord): AttemptState {
  switch (state) {
    case "success":
      return "paid";
    case "failed":
      return revoked === true ? "revoked" : "failed";
    case "expired":
      return "failed";
    default:
      if (overdue) return "unreachable";
      return state === "created" || paymentUrl === null ? "opening" : "open";
  }
}

function paidOf(link: LinkRecord): PaidAttempt | null {
  const { outcome, state } = link;
  if (state !== "success" || outcome === null || outcome.payment === null) return null;
  const { authCode, cardBrand, maskedPan } = outcome.payment;
  const { amountMinor, currency } = amountOf(link);
  return { atMs: outcome.atMs, amountMinor, currency, authCode, cardBrand, cardLast4: /\d{4}$/.exec(maskedPan ?? "")?.[0] ?? null };
}

/** Returns true if nothing changed that the intent mirrors. */
export function isSameAttempt(one: Attempt, other: Attempt): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
