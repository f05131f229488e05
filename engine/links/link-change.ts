import type { MinorAmount } from "../gateway/gateway.ts";
import { fromMinorUnits } from "../kernel/money.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { TransactionRow } from "../payments/feed-row.ts";
import { rowVersion } from "../payments/row-version.ts";
import type { LinkEffect } from "./events.ts";
import { amountDiffers, amountOf, isFinal, type LinkRecord, type ReversalOwed } from "./link.ts";
import type { LinkChange } from "./link-store.ts";
import { owingReversal } from "./rules.ts";

/**
 * The row of a link that has ended, null for one that has not or that the gateway never had. Its key never changes; a late success is a
 * newer version. Holds no personal data of the buyer.
 */
export function linkRow({ state, order, paymentId, outcome, late }: LinkRecord): TransactionRow | null {
  if (!isFinal(state) || paymentId === null || outcome === null) return null;
  const { payment } = outcome;
  const { amountMinor, currency } = amountOf({ order, outcome });
  const card = {
    ...(payment === null || payment.cardBrand === null ? {} : { brand: payment.cardBrand }),
    ...(payment === null || payment.maskedPan === null ? {} : { maskedPan: payment.maskedPan }),
  };
  return {
    type: "transaction",
    version: rowVersion(state === "success" ? "done" : "unknown", late ? 2 : 1),
    transaction: {
      uuid: order.txId,
      createdAtMs: order.createdAtMs,
      method: "PAYBYLINK",
      status: state === "success" ? "OK" : "KO",
      amountCents: amountMinor,
      currency,
      terminalId: order.terminalId,
      message: outcome.description,
      auth: { ...(payment === null || payment.authCode === null ? {} : { authCode: payment.authCode }), actionCode: outcome.resultCode },
      ...(Object.keys(card).length === 0 ? {} : { card }),
    },
    kind: null,
    sender: order.owner,
    unsolicited: false,
    amountDiffers: amountDiffers({ order, outcome }),
    ...(order.shop === undefined ? {} : { shop: order.shop }),
  };
}

type EffectType = LinkEffect["type"];
type AttentionKind = AttentionItem["kind"];

const REVERSAL_DETAILS: Readonly<Record<ReversalOwed["state"], string>> = {
  owed: "A link of an order that was canceled or already paid was paid; the relay reverses the payment",
  done: "A link of an order that was canceled or already paid was paid; the relay has reversed the payment",
  refused: "The relay could not reverse an unwanted payment by link, because the gateway refused: refund it manually",
  givenUp:
    "The relay may not have reversed an unwanted payment by link, because the gateway has not answered for a week: check it at the gateway",
};

/** What an operator is told, by the effect that asks for it. */
const FLAGS: readonly { effect: EffectType; kind: AttentionKind; detail(record: LinkRecord): string }[] = [
  {
    effect: "flagLate",
    kind: "link_late",
    detail: () => "A payment link was paid after it was shown as ended; the buyer may have paid twice",
  },
  {
    effect: "flagAmount",
    kind: "amount_differs",
    detail: (record) => `A payment link was paid with ${shown(amountOf(record))}, but the order was ${shown(record.order)}`,
  },
  {
    effect: "flagFollowUp",
    kind: "link_operation_unknown",
    detail: () => "The response to a capture, reversal or refund was lost, and the gateway does not confirm that it was executed",
  },
  {
    effect: "flagReversal",
    kind: "link_reversal",
    detail: ({ reversalOwed }) => REVERSAL_DETAILS[reversalOwed?.state ?? "owed"],
  },
  {
    effect: "flagOverdue",
    kind: "link_unverified",
    detail: () => "A payment link has expired, and the gateway cannot be asked whether it was paid",
  },
];

/** What needs no attention any more, by the effect that says so. */
const SETTLED: readonly { effect: EffectType; kind: AttentionKind }[] = [
  { effect: "settleOverdue", kind: "link_unverified" },
  { effect: "settleFollowUp", kind: "link_operation_unknown" },
];

/** What is stored of a link's step: its record in place of `stored`, the rows and the attention items that its effects ask for. */
export function linkChange(record: LinkRecord, stored: Stored<LinkRecord>, effects: readonly LinkEffect[], atMs: number): LinkChange {
  const { txId: uuid, terminalId } = record.order;
  const asked = new Set(effects.map(({ type }) => type));
  const row = asked.has("ended") ? linkRow(record) : null;
  const flagged = FLAGS.filter(({ effect }) => asked.has(effect));
  return {
    record,
    before: stored.record,
    version: stored.version,
    rows: row === null ? [] : [row],
    attention: flagged.map(({ kind, detail }) => ({ kind, terminalId, uuid, atMs, detail: detail(record), raw: null })),
    settled: SETTLED.filter(({ effect }) => asked.has(effect)).map(({ kind }) => ({ kind, terminalId, uuid })),
    atMs,
  };
}

/** The same where a companion does not want what was paid: the link owes a reversal from now on, and operators are told. */
export function unwantedChange(change: LinkChange): LinkChange {
  const { record, atMs, attention } = change;
  if (record.state !== "success" || record.reversalOwed !== undefined) return change;
  const owing = owingReversal(record, atMs);
  const { terminalId, txId: uuid } = record.order;
  const item: AttentionItem = { kind: "link_reversal", terminalId, uuid, atMs, detail: REVERSAL_DETAILS.owed, raw: null };
  return { ...change, record: owing, attention: [...attention, item] };
}

/** The same where a companion says what operators are told of a payment that comes too late. */
export function toldLateChange(change: LinkChange, item: AttentionItem): LinkChange {
  return { ...change, attention: [...change.attention.filter(({ kind }) => kind !== "link_late"), item] };
}

function shown({ amountMinor, currency }: MinorAmount): string {
  return `${fromMinorUnits(amountMinor, currency)} ${currency}`;
}
