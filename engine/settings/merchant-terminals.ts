import type { Clock } from "../kernel/clock.ts";
import { createRecent } from "../kernel/recent.ts";
import type { Terminals, TerminalView } from "../terminals/terminals.ts";
import type { CloudConfig } from "./cloud-config.ts";
import type { TerminalsByMerchant } from "./terminals-by-merchant.ts";

/** Terminals of one merchant that a list has: each is asked at its home. A chain with more has several merchants. */
export const MERCHANT_TERMINALS_MAX = 2_000;

/** Terminals that are asked at once, so that one list does not fill every home's mailbox. */
const ASKED_AT_ONCE = 100;

/** Pages look every 5 s: those of one merchant share a look, and an outage is seen well within 10 s. */
const RECENT_MS = 2_000;

export interface MerchantTerminal {
  view: TerminalView;
  group: string | null;
}

/** A merchant's own terminals: those whose cloud configuration names it now. Rejects with RelayError `unavailable` where a home does not answer. */
export interface MerchantTerminals {
  /** How many there are. */
  count(merchantId: string): number;
  /** The ids of all of them. Reads only memory. */
  ids(merchantId: string): readonly string[];
  /** By id, at most MERCHANT_TERMINALS_MAX; as they were within the last two seconds. */
  all(merchantId: string): Promise<readonly MerchantTerminal[]>;
  /** As it is now; null for one that is not the merchant's. */
  find(merchantId: string, terminalId: string): Promise<MerchantTerminal | null>;
}

export interface MerchantTerminalsOptions {
  byMerchant: Pick<TerminalsByMerchant, "of" | "has">;
  configOf(terminalId: string): CloudConfig | undefined;
  terminals: Pick<Terminals, "connection">;
  clock: Clock;
}

export function createMerchantTerminals({ byMerchant, configOf, terminals, clock }: MerchantTerminalsOptions): MerchantTerminals {
  const recent = createRecent<readonly MerchantTerminal[]>(clock, RECENT_MS);

  async function look(terminalId: string): Promise<MerchantTerminal> {
    return { view: await terminals.connection(terminalId), group: configOf(terminalId)?.group ?? null };
  }

  async function lookAt(ids: readonly string[]): Promise<readonly MerchantTerminal[]> {
    const found: MerchantTerminal[] = [];
    for (let first = 0; first < ids.length; first += ASKED_AT_ONCE) {
      found.push(...(await Promise.all(ids.slice(first, first + ASKED_AT_ONCE).map(look))));
    }
    return found;
  }

  return {
    count: (merchantId) => byMerchant.of(merchantId).length,
    ids: (merchantId) => byMerchant.of(merchantId),
    all: async (merchantId) => {
      const found = await recent(merchantId, () => lookAt(byMerchant.of(merchantId).slice(0, MERCHANT_TERMINALS_MAX)));
      // One that was given to another merchant since is not shown any more, however recent the look is.
      return found.filter(({ view }) => byMerchant.has(merchantId, view.terminalId));
    },
    find: async (merchantId, terminalId) => (byMerchant.has(merchantId, terminalId) ? look(terminalId) : null),
  };
}
