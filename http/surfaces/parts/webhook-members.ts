import { RelayError } from "../../../engine/kernel/errors.ts";
import { holdsSchemePan, maskPans } from "../../../engine/kernel/mask.ts";
import { givenText } from "./schemas.ts";

/** The texts that are kept and shown. A masked address would be another one, so such an address is refused. */
export function withoutCards({ url, description }: { url?: string; description?: string | null }): {
  url?: string;
  description?: string | null;
} {
  const text = givenText(description);
  if (url !== undefined && holdsSchemePan(url)) throw new RelayError("invalid_request", "url: must not hold a card number");
  return {
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description: text === null ? null : maskPans(text) }),
  };
}

/** Each name once; `*` says all that others could. */
export function distinctEvents(events: readonly string[]): string[] {
  return events.includes("*") ? ["*"] : [...new Set(events)];
}
