import { RelayError } from "../../../engine/kernel/errors.ts";
import { holdsSchemePan, maskPans } from "../../../engine/kernel/mask.ts";
import { givenText } from "./schemas.ts";

/**
 * Checks the texts that are stored and shown. An address with a card number is rejected, because
 * masking would change the address.
 */
export function withoutCards({ url, description }: { url?: string; description?: string | null }): {
  url?: string;
  description?: string | null;
} {
  const text = givenText(description);
  if (url !== undefined && holdsSchemePan(url)) throw new RelayError("invalid_request", "url: must not contain a card number");
  return {
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description: text === null ? null : maskPans(text) }),
  };
}

/** Removes repeated names. `*` includes all others. */
export function distinctEvents(events: readonly string[]): string[] {
  return events.includes("*") ? ["*"] : [...new Set(events)];
}
