import type { CloudConfig } from "./cloud-config.ts";

/** Which terminals are a merchant's, as the cloud configurations say: kept up to date with each change, so that nobody has to look through all of them. */
export interface TerminalsByMerchant {
  /** By id. */
  of(merchantId: string): readonly string[];
  has(merchantId: string, terminalId: string): boolean;
  /** To be called with each configuration that came, changed or went. */
  changed(terminalId: string, after: CloudConfig | null, before: CloudConfig | null): void;
}

export function createTerminalsByMerchant(): TerminalsByMerchant {
  const merchants = new Map<string, { ids: Set<string>; sorted: readonly string[] | null }>();

  function leave(merchantId: string, terminalId: string): void {
    const entry = merchants.get(merchantId);
    if (entry === undefined) return;
    entry.ids.delete(terminalId);
    entry.sorted = null;
    if (entry.ids.size === 0) merchants.delete(merchantId);
  }

  function join(merchantId: string, terminalId: string): void {
    const entry = merchants.get(merchantId) ?? { ids: new Set(), sorted: null };
    entry.ids.add(terminalId);
    entry.sorted = null;
    merchants.set(merchantId, entry);
  }

  return {
    of: (merchantId) => {
      const entry = merchants.get(merchantId);
      if (entry === undefined) return [];
      entry.sorted ??= [...entry.ids].sort();
      return entry.sorted;
    },
    has: (merchantId, terminalId) => merchants.get(merchantId)?.ids.has(terminalId) === true,
    changed: (terminalId, after, before) => {
      const [from, to] = [before?.merchantId ?? null, after?.merchantId ?? null];
      if (from === to) return;
      if (from !== null) leave(from, terminalId);
      if (to !== null) join(to, terminalId);
    },
  };
}
