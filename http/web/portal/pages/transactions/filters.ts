import { isDay } from "../../i18n/is-day.ts";

/** The filters of the list, as the address and the interface name them. */
export const FILTERS = [
  "from",
  "to",
  "status",
  "refundState",
  "isPayment",
  "method",
  "terminalId",
  "amountMin",
  "amountMax",
  "currency",
  "last4",
  "authCode",
  "q",
] as const;

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
    refundState: (value) => ["NONE", "PARTLY_REFUNDED", "REFUNDED", "ANY"].includes(value),
    isPayment: (value) => value === "true" || value === "false",
    q: (value) => value.length >= Q_LENGTH_MIN && value.length <= 64,
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => valid[name]?.(value) ?? true));
}

/** Less than this finds nothing in particular. */
export const Q_LENGTH_MIN = 4;
