import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { createRecent } from "../kernel/recent.ts";
import { isOpenAt, type OpeningInterval, openingHoursOfHours, WEEK_MINUTES } from "../partners/opening-hours.ts";
import type { OwnMerchant } from "../partners/own-merchant.ts";
import type { MerchantTransactions } from "../payments/merchant-transactions.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WEEKS = 4;

/** An hour of the week is open if payments were made in it in at least so many of the weeks. */
const OPEN_WEEKS_MIN = 2;

/** One query reads four weeks of a merchant, so its result serves for an hour. */
const DERIVED_MS = HOUR_MS;

/** After a failure, payments are not read again for so long. */
const FAILED_MS = 60_000;

/** The epoch began on a Thursday; this is the Monday before it. */
const MONDAY_MS = -3 * DAY_MS;

/**
 * `set`: the merchant's own. `payments`: derived from the payments of the last four weeks.
 * `unknown`: none are set, and the payments cannot be read at the moment.
 */
export type OpeningSource = "set" | "payments" | "unknown";

export interface KnownHours {
  readonly source: OpeningSource;
  /** Null if they are unknown. */
  readonly hours: readonly OpeningInterval[] | null;
}

/** The hours in which a merchant is open, by the clocks of the installation. */
export interface OpeningHours {
  of(merchantId: string): Promise<KnownHours>;
  /** Null: they are derived from payments again. Returns false for a deactivated merchant. */
  save(merchantId: string, hours: readonly OpeningInterval[] | null): Promise<boolean>;
  isOpen(hours: readonly OpeningInterval[], atMs: number): boolean;
}

export interface OpeningHoursOptions {
  ownMerchant: Pick<OwnMerchant, "find" | "saveOpeningHours">;
  merchantTransactions: Pick<MerchantTransactions, "sums">;
  /** The offset of the installation's clocks from UTC at a time. */
  offsetMs(atMs: number): number;
  clock: Clock;
}

export function createOpeningHours({ ownMerchant, merchantTransactions, offsetMs, clock }: OpeningHoursOptions): OpeningHours {
  const derived = createRecent<readonly OpeningInterval[]>(clock, DERIVED_MS);
  const tried = createRecent<readonly OpeningInterval[] | null>(clock, FAILED_MS);
  const localMs = (atMs: number) => atMs + offsetMs(atMs);

  async function derive(merchantId: string): Promise<readonly OpeningInterval[]> {
    const nowMs = clock.nowMs();
    const today = localMs(nowMs) - (localMs(nowMs) % DAY_MS);
    const beginMs = today - WEEKS * 7 * DAY_MS;
    // Whole days, so that every node reads the same range on one day.
    const range = { fromMs: beginMs - offsetMs(nowMs), untilMs: today - offsetMs(nowMs) };
    const { hours } = await merchantTransactions.sums(merchantId, range);
    const weeksOf = new Map<number, Set<number>>();
    for (const { startMs, approved, declined } of hours) {
      if (approved + declined === 0) continue;
      const atMs = localMs(startMs);
      const hour = Math.floor(minuteOfWeek(atMs) / 60);
      weeksOf.set(hour, (weeksOf.get(hour) ?? new Set()).add(Math.floor((atMs - beginMs) / (7 * DAY_MS))));
    }
    return openingHoursOfHours(new Set([...weeksOf].filter(([, weeks]) => weeks.size >= OPEN_WEEKS_MIN).map(([hour]) => hour)));
  }

  function deriveOrNull(merchantId: string): Promise<readonly OpeningInterval[] | null> {
    return tried(merchantId, async () => {
      try {
        return await derived(merchantId, () => derive(merchantId));
      } catch (error) {
        if (error instanceof RelayError) return null;
        throw error;
      }
    });
  }

  return {
    of: async (merchantId) => {
      const { openingHours } = await ownMerchant.find(merchantId);
      if (openingHours !== undefined) return { source: "set", hours: openingHours };
      const hours = await deriveOrNull(merchantId);
      return { source: hours === null ? "unknown" : "payments", hours };
    },
    save: (merchantId, hours) => ownMerchant.saveOpeningHours(merchantId, hours),
    isOpen: (hours, atMs) => isOpenAt(hours, minuteOfWeek(localMs(atMs))),
  };
}

/** Returns the minute of the week of a local time. */
function minuteOfWeek(localMs: number): number {
  return Math.floor((localMs - MONDAY_MS) / MINUTE_MS) % WEEK_MINUTES;
}
