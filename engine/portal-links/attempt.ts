import { LINK_LIFETIME_MS } from "../kernel/limits.ts";
import { fromMinorUnits } from "../kernel/money.ts";
import { amountOf, isFinal, type LinkOrder, type LinkRecord } from "../links/link.ts";
import type { MerchantAccount } from "../links/merchant-accounts.ts";
import type { PortalLinkAttempt, PortalLinkRecord } from "./portal-link.ts";

/** What the link of an attempt keeps with it. */
export interface AttemptAttachment {
  readonly surface: "portal-link";
  readonly link: string;
  readonly n: number;
}

export function attachmentText(attachment: AttemptAttachment): string {
  return JSON.stringify(attachment);
}

/** The attachment of an attempt's link, null where the link is none. */
export function readAttemptAttachment(text: string | null): AttemptAttachment | null {
  if (text === null || !text.startsWith('{"surface":"portal-link",')) return null;
  const { surface, link, n }: { [Member in keyof AttemptAttachment]?: unknown } = JSON.parse(text);
  if (surface !== "portal-link" || typeof link !== "string" || typeof n !== "number") throw new Error("an attempt without its portal link");
  return { surface, link, n };
}

/** The account at the gateway that a link runs on. */
export type AttemptAccount = Extract<MerchantAccount, { type: "account" }>;

/** The link of the next attempt at a portal link. */
export function linkOrderOf(record: PortalLinkRecord, account: AttemptAccount, returnUrl: string, atMs: number): LinkOrder {
  const { id, merchantId, partnerId, order } = record;
  const n = record.attempts.length + 1;
  return {
    txId: `${id}.${n}`,
    terminalId: account.credentials.terminalId,
    partnerId,
    merchantId: account.credentials.merchantId,
    ...(account.apart ? {} : { shop: merchantId }),
    // No caller of another surface is named so: nobody else may act on it.
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

/** What a portal link has to know of the link of an attempt. */
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

/** Whether all of it was given back: before the day's end as a reversal, later as a refund. */
function refundOf(link: LinkRecord): PortalLinkAttempt["refund"] {
  if (link.state !== "success") return "none";
  const back = link.followUps.filter(({ type }) => type !== "capture");
  const doneMinor = back.reduce((sum, { state, amountMinor }) => (state === "done" ? sum + amountMinor : sum), 0);
  if (doneMinor >= amountOf(link).amountMinor) return "done";
  return back.some(({ state }) => state === "requested") ? "unknown" : "none";
}

/** Whether what a portal link has to know of a link is the same as before. */
export function isSameAttempt(one: PortalLinkAttempt, other: PortalLinkAttempt): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
