import { isDay } from "../../i18n/is-day.ts";
import { CATEGORIES, STAGES, STATUSES } from "./words.ts";

/** The filters of the list, as the address and the interface name them; `view` is which of the two is shown. */
export const FILTERS = [
  "view",
  "status",
  "stage",
  "category",
  "from",
  "to",
  "dueWithinDays",
  "terminalId",
  "currency",
  "q",
  "includeAlerts",
] as const;

/** What the interface is asked with. A member of the address that could be none is left out: an address may be typed. */
export function queryOf({ view: _, ...values }: Readonly<Record<string, string>>): Record<string, string> {
  const valid: Readonly<Record<string, (value: string) => boolean>> = {
    from: isDay,
    to: isDay,
    status: (value) => STATUSES.some((status) => status === value),
    stage: (value) => STAGES.some((stage) => stage === value),
    category: (value) => CATEGORIES.some((category) => category === value),
    dueWithinDays: (value) => /^[1-9]\d{0,2}$/.test(value) && Number(value) <= 400,
    terminalId: (value) => /^[A-Za-z0-9._-]{1,64}$/.test(value),
    currency: (value) => /^[A-Z]{3}$/.test(value),
    q: (value) => value.length <= 64,
    includeAlerts: (value) => value === "false",
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => valid[name]?.(value) ?? true));
}
