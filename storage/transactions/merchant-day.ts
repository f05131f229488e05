import type { MerchantDay, TransactionSums } from "../../engine/payments/merchant-transactions.ts";
import type { Transaction } from "../../engine/payments/transaction.ts";
import type { SumsGroup } from "./merchant-queries.ts";
import { sumsOf } from "./merchant-sql.ts";

const HOUR_MS = 3_600_000;

/** A year and a month, plus the extra hours of clock changes: about ten thousand hours. */
const RANGE_MS_MAX = 400 * 86_400_000 + 3 * HOUR_MS;

/** Returns true if the range is short enough for sums per hour. */
export function hasHours({ fromMs, untilMs }: { fromMs: number; untilMs: number }): boolean {
  return untilMs - fromMs <= RANGE_MS_MAX;
}

/** Combines the groups of ClickHouse with transactions that it does not have yet. */
export function dayOf(
  { fromMs }: { fromMs: number; untilMs: number },
  groups: readonly SumsGroup[],
  waiting: readonly (Transaction & { terminalId: string })[],
): MerchantDay {
  const sums = new Groups<Record<never, never>>();
  const hours = new Groups<{ startMs: number }>();
  const byMethod = new Groups<{ method: Transaction["method"] }>();
  const byTerminal = new Groups<{ terminalId: string }>();
  for (const { currency, startMs, ofMethod, ofTerminal, volumeMinor, approved, declined } of groups) {
    const added = { currency, volumeMinor, approved, declined };
    if (startMs !== null) hours.add(String(startMs), { startMs }, added);
    else if (ofMethod !== null) byMethod.add(ofMethod, { method: ofMethod }, added);
    else if (ofTerminal !== null) byTerminal.add(ofTerminal, { terminalId: ofTerminal }, added);
    else sums.add("", {}, added);
  }
  for (const transaction of waiting) {
    const { currency, method, terminalId, createdAtMs } = transaction;
    const added = { currency, ...sumsOf(transaction) };
    const startMs = fromMs + Math.floor((createdAtMs - fromMs) / HOUR_MS) * HOUR_MS;
    sums.add("", {}, added);
    hours.add(String(startMs), { startMs }, added);
    byMethod.add(method, { method }, added);
    byTerminal.add(terminalId, { terminalId }, added);
  }
  return {
    sums: sums.sorted(() => 0),
    hours: hours.sorted((one, other) => one.startMs - other.startMs),
    byMethod: byMethod.sorted((one, other) => ordered(one.method, other.method)),
    byTerminal: byTerminal.sorted((one, other) => ordered(one.terminalId, other.terminalId)),
  };
}

/** Sums by a member and the currency. */
class Groups<Member extends object> {
  readonly #groups = new Map<string, TransactionSums & Member>();

  add(name: string, member: Member, { currency, volumeMinor, approved, declined }: TransactionSums): void {
    const key = `${currency} ${name}`;
    const known = this.#groups.get(key);
    if (known === undefined) {
      this.#groups.set(key, { currency, volumeMinor, approved, declined, ...member });
      return;
    }
    known.volumeMinor += volumeMinor;
    known.approved += approved;
    known.declined += declined;
  }

  /** Returns the groups by `order`, then by currency. */
  sorted(order: (one: Member, other: Member) => number): (TransactionSums & Member)[] {
    return [...this.#groups.values()].sort((one, other) => order(one, other) || ordered(one.currency, other.currency));
  }
}

function ordered(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
