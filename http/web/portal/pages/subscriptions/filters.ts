import { isDay } from "../../i18n/is-day.ts";
import { may } from "../../state/session.ts";
import { STATES } from "./words.ts";

/** The filters of the list, as the address and the interface name them. */
export const FILTERS = ["from", "to", "state", "planId", "customerEmail"] as const;

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const PLAN_ID = /^plan_[a-z0-9]{24}$/;

/** What the interface is asked with. A member of the address that could be none is left out: an address may be typed, or be from somebody who sees more. */
export function queryOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const valid: Readonly<Record<string, (value: string) => boolean>> = {
    from: isDay,
    to: isDay,
    state: (value) => STATES.some((state) => state === value),
    planId: (value) => PLAN_ID.test(value),
    customerEmail: (value) => may("see personal data") && EMAIL.test(value),
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => valid[name]?.(value) ?? true));
}
