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

  /** The terminal may have been another merchant's at that time. */
  async function isOwn(merchantId: string, { terminalId, uuid }: AttentionItem): Promise<boolean> {
    if (uuid === null) return false;
    const view = await terminals.command(uuid, 0, (candidate) => candidate === terminalId);
    return view?.command?.shop === merchantId;
  }

  async function look(merchantId: string): Promise<readonly MerchantAttentionItem[]> {
    const all: AttentionItem[] = [];
    for (const terminalId of byMerchant.of(merchantId).slice(0, TERMINALS_MAX)) all.push(...(await ofTerminal(terminalId)));
    const newest = all.sort((one, other) => other.atMs - one.atMs).slice(0, ITEMS_MAX);
    const own = await Promise.all(newest.map((item) => isOwn(merchantId, item)));
    return newest.flatMap(({ kind, uuid, atMs }, index) => {
      const known = KINDS.find((one) => one === kind);
      return own[index] === true && known !== undefined && uuid !== null ? [{ kind: known, uuid, atMs }] : [];
    });
  }

  return (merchantId) => recent(merchantId, () => look(merchantId));
}
