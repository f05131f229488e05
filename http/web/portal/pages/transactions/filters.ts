import { addDays, isDay, today } from "../../i18n/days.ts";

/** The filters of the list, as the address and the interface name them. */
export const FILTERS = [
  "from",
  "to",
  "status",
  "method",
  "terminalId",
  "amountMin",
  "amountMax",
  "currency",
  "last4",
  "authCode",
  "q",
] as const;

export type Period = "today" | "yesterday" | "week" | "month" | "all" | "other";

/** The days that a person means by a word; null for all. */
export function daysOf(period: Exclude<Period, "other">): { from: string | null; to: string | null } {
  const now = today();
  switch (period) {
    case "today":
      return { from: now, to: now };
    case "yesterday":
      return { from: addDays(now, -1), to: addDays(now, -1) };
    case "week":
      return { from: addDays(now, -6), to: now };
    case "month":
      return { from: addDays(now, -29), to: now };
    case "all":
      return { from: null, to: null };
  }
}

export function periodOf({ from = null, to = null }: { from?: string | null; to?: string | null }): Period {
  const known = (["today", "yesterday", "week", "month", "all"] as const).find((period) => {
    const days = daysOf(period);
    return days.from === from && days.to === to;
  });
  return known ?? "other";
}

/** What the interface is asked with. A member of the address that could be none is left out: an address may be typed. */
export function queryOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const valid: Readonly<Record<string, (value: string) => boolean>> = {
    from: isDay,
    to: isDay,
    amountMin: (value) => /^\d{1,12}$/.test(value),
    amountMax: (value) => /^\d{1,12}$/.test(value),
    currency: (value) => /^[A-Z]{3}$/.test(value),
    last4: (value) => /^\d{4}$/.test(value),
    status: (value) => value === "OK" || value === "KO",
    q: (value) => value.length >= Q_LENGTH_MIN && value.length <= 64,
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => valid[name]?.(value) ?? true));
}

/** Less than this finds nothing in particular. */
export const Q_LENGTH_MIN = 4;
