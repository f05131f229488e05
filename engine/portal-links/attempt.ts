import { LINK_LIFETIME_MS } from "../kernel/limits.ts";
import { fromMinorUnits } from "../kernel/money.ts";
import { amountOf, isFinal, type LinkOrder, type LinkRecord } from "../links/link.ts";
import type { MerchantAccount } from "../links/merchant-accounts.ts";
import type { PortalLinkAttempt, PortalLinkRecord } from "./portal-link.ts";

export interface AttemptAttachment {
  readonly surface: "portal-link";
  readonly link: string;
  readonly n: number;
}

export function attachmentText(attachment: AttemptAttachment): string {
  return JSON.stringify(attachment);
}

/** Returns null if the link belongs to no attempt. */
export function readAttemptAttachment(text: string | null): AttemptAttachment | null {
  if (text === null || !text.startsWith('{"surface":"portal-link",')) return null;
  const { surface, link, n }: { [Member in keyof AttemptAttachment]?: unknown } = JSON.parse(text);
  if (surface !== "portal-link" || typeof link !== "string" || typeof n !== "number") throw new Error("an attempt without its portal link");
  return { surface, link, n };
}

export type AttemptAccount = Extract<MerchantAccount, { type: "account" }>;

export function linkOrderOf(record: PortalLinkRecord, account: AttemptAccount, returnUrl: string, atMs: number): LinkOrder {
  const { id, merchantId, partnerId, order } = record;
  const n = record.attempts.length + 1;
  return {
    txId: `${id}.${n}`,
    terminalId: account.credentials.terminalId,
    partnerId,
    merchantId: account.credentials.merchantId,
    ...(account.apart ? {} : { shop: merchantId }),
    // No caller of another surface has such a name, so no other caller may act on the link.
    owner: `merchant:${merchantId}`,
    amount: fromMinorUnits(order.amountMinor, order.currency),
    amountMinor: order.amountMinor,
    currency: order.currency,
    description: order.description,
    merchantReference: order.reference ?? id,
    customerEmail: order.customerEmail,
    instrument: "card",
    capture: "now",
    returnUrl,
    createdAtMs: atMs,
    expiresAtMs: atMs + LINK_LIFETIME_MS,
    attachment: attachmentText({ surface: "portal-link", link: id, n }),
  };
}

export function attemptOf(link: LinkRecord, before: PortalLinkAttempt | null): PortalLinkAttempt {
  const { order, outcome, paymentUrl, settled } = link;
  return {
    txId: order.txId,
    state: attemptStateOf(link),
    createdAtMs: order.createdAtMs,
    url: paymentUrl,
    expiresAtMs: order.expiresAtMs,
    endedAtMs: before?.endedAtMs ?? (isFinal(link.state) ? (outcome?.atMs ?? null) : null),
    resultCode: outcome?.resultCode ?? null,
    resultDescription: outcome?.description ?? null,
    ...(settled === true ? { settled } : {}),
    paid: paidOf(link),
    refund: refundOf(link),
  };
}

function attemptStateOf({ state, paymentUrl }: LinkRecord): PortalLinkAttempt["state"] {
  if (state === "success") return "paid";
  if (isFinal(state)) return "failed";
  return state === "created" || paymentUrl === null ? "opening" : "open";
}

function paidOf(link: LinkRecord): PortalLinkAttempt["paid"] {
  const { outcome, state } = link;
  if (state !== "success" || outcome === null || outcome.payment === null) return null;
  const { amountMinor, currency } = amountOf(link);
  return { atMs: outcome.atMs, amountMinor, currency, cardLast4: /\d{4}$/.exec(outcome.payment.maskedPan ?? "")?.[0] ?? null };
}

/** A payment may be given back as a reversal until the day's end, and later as a refund. */
function refundOf(link: LinkRecord): PortalLinkAttempt["refund"] {
  if (link.state !== "success") return "none";
  const back = link.followUps.filter(({ type }) => type !== "capture");
  const doneMinor = back.reduce((sum, { state, amountMinor }) => (state === "done" ? sum + amountMinor : sum), 0);
  if (doneMinor >= amountOf(link).amountMinor) return "done";
  return back.some(({ state }) => state === "requested") ? "unknown" : "none";
}

export function isSameAttempt(one: PortalLinkAttempt, other: PortalLinkAttempt): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
