import type { MinorAmount } from "../gateway/gateway.ts";
import { fromMinorUnits } from "../kernel/money.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { LinkEffect } from "./events.ts";
import { amountOf, type LinkRecord } from "./link.ts";
import { linkRow } from "./link-row.ts";
import type { LinkChange } from "./link-store-port.ts";

type EffectType = LinkEffect["type"];
type AttentionKind = AttentionItem["kind"];

/** What an operator is told, by the effect that asks for it. */
const FLAGS: readonly { effect: EffectType; kind: AttentionKind; detail(record: LinkRecord): string }[] = [
  {
    effect: "flagLate",
    kind: "link_late",
    detail: () => "A payment link was paid after it had been shown as ended; the buyer may have paid twice",
  },
  {
    effect: "flagAmount",
    kind: "amount_differs",
    detail: (record) => `A payment link was paid with ${shown(amountOf(record))}, and ordered with ${shown(record.order)}`,
  },
  {
    effect: "flagFollowUp",
    kind: "link_operation_unknown",
    detail: () => "The answer to a capture, reversal or refund was lost, and the gateway does not say that it was executed",
  },
  {
    effect: "flagOverdue",
    kind: "link_unverified",
    detail: () => "A payment link's time is over and the gateway cannot be asked whether it was paid",
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

function shown({ amountMinor, currency }: MinorAmount): string {
  return `${fromMinorUnits(amountMinor, currency)} ${currency}`;
}
