import type { Clock } from "../kernel/clock.ts";
import { createRecent } from "../kernel/recent.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { AttentionKind } from "../payments/attention-kinds.ts";
import type { AttentionStore } from "../payments/attention-store.ts";
import type { Terminals } from "../terminals/terminals.ts";
import type { TerminalsByMerchant } from "./terminals-by-merchant.ts";

/** What a shop can look at itself: a payment whose outcome is unknown may have been charged, and one of another amount was. */
const KINDS = ["unknown", "amount_differs"] as const satisfies readonly AttentionKind[];

/** Terminals that are looked through for one merchant, items of each, and items that are answered: an overview names the newest, no list of all. */
const TERMINALS_MAX = 50;
const ITEMS_OF_TERMINAL_MAX = 20;
const ITEMS_MAX = 20;

const RECENT_MS = 15_000;

export interface MerchantAttentionItem {
  kind: (typeof KINDS)[number];
  uuid: string;
  atMs: number;
  terminalId: string;
  /** What was charged, or what was requested while that is not known. */
  amountMinor: number;
  /** Null where neither the command nor the result names one. */
  currency: string | null;
}

/** What a merchant has to look at, newest first; of its first 50 terminals, and as it was within the last 15 seconds. Rejects with RelayError `unavailable`. */
export type MerchantAttention = (merchantId: string) => Promise<readonly MerchantAttentionItem[]>;

export interface MerchantAttentionOptions {
  byMerchant: Pick<TerminalsByMerchant, "of">;
  items: AttentionStore;
  terminals: Pick<Terminals, "command">;
  clock: Clock;
}

export function createMerchantAttention({ byMerchant, items, terminals, clock }: MerchantAttentionOptions): MerchantAttention {
  const recent = createRecent<readonly MerchantAttentionItem[]>(clock, RECENT_MS);

  async function ofTerminal(terminalId: string): Promise<AttentionItem[]> {
    const found = await Promise.all(KINDS.map((kind) => items.ofTerminal(kind, terminalId, ITEMS_OF_TERMINAL_MAX)));
    return found.flat();
  }

  /** Returns the item with its payment; null for another merchant's, which may have had the terminal at that time. */
  async function ownItem(merchantId: string, { kind, terminalId, uuid, atMs }: AttentionItem): Promise<MerchantAttentionItem | null> {
    const known = KINDS.find((one) => one === kind);
    if (uuid === null || known === undefined) return null;
    const view = await terminals.command(uuid, 0, (candidate) => candidate === terminalId);
    if (view?.command?.shop !== merchantId) return null;
    const { command, transaction } = view;
    const amountMinor = transaction?.amountCents ?? command.amountCents;
    return { kind: known, uuid, atMs, terminalId, amountMinor, currency: transaction?.currency ?? command.currency ?? null };
  }

  async function look(merchantId: string): Promise<readonly MerchantAttentionItem[]> {
    const all: AttentionItem[] = [];
    for (const terminalId of byMerchant.of(merchantId).slice(0, TERMINALS_MAX)) all.push(...(await ofTerminal(terminalId)));
    const newest = all.sort((one, other) => other.atMs - one.atMs).slice(0, ITEMS_MAX);
    const own = await Promise.all(newest.map((item) => ownItem(merchantId, item)));
    return own.filter((item) => item !== null);
  }

  return (merchantId) => recent(merchantId, () => look(merchantId));
}
