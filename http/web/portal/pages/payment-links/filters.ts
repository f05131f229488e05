import { isDay } from "../../i18n/is-day.ts";
import { may } from "../../state/session.ts";
import { STATES } from "./words.ts";

/** The filters of the list, as the address and the interface name them. */
export const FILTERS = ["from", "to", "state", "customerEmail", "q", "agentId", "currency"] as const;

const AGENT_ID = /^ac_[a-z0-9]{24}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** What the interface is asked with. A member of the address that could be none is left out: an address may be typed, or be from somebody who sees more. */
export function queryOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const valid: Readonly<Record<string, (value: string) => boolean>> = {
    from: isDay,
    to: isDay,
    state: (value) => STATES.some((state) => state === value),
    customerEmail: (value) => may("see personal data") && EMAIL.test(value),
    q: (value) => value.length <= 255,
    agentId: (value) => AGENT_ID.test(value),
    currency: (value) => /^[A-Z]{3}$/.test(value),
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => valid[name]?.(value) ?? true));
}
