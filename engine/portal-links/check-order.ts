import { EMAIL_LENGTH_MAX } from "../accounts/account.ts";
import { RelayError } from "../kernel/errors.ts";
import { AMOUNT_MINOR_MAX, LINK_TEXT_LENGTH_MAX } from "../kernel/limits.ts";
import { maskPans, maskSchemePans } from "../kernel/mask.ts";
import { currencyDecimals } from "../kernel/money.ts";
import { isMailAddress } from "../mails/mail-address.ts";
import type { PortalLinkOrder } from "./portal-link.ts";
import { PORTAL_LINK_HOURS_MAX, PORTAL_LINK_HOURS_MIN } from "./words.ts";

const HOUR_MS = 3_600_000;
const SLACK_MS = 60_000;

/** Masks card numbers in texts. Throws RelayError `invalid_request` naming the member. */
export function checkedOrder(order: PortalLinkOrder, atMs: number): PortalLinkOrder {
  const { amountMinor, currency, description, reference, customerEmail, expiresAtMs } = order;
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1 || amountMinor > AMOUNT_MINOR_MAX) {
    throw invalid("amountMinor", `must be a whole number of minor units from 1 to ${AMOUNT_MINOR_MAX}`);
  }
  if (currencyDecimals(currency) === null) throw invalid("currency", "must be an ISO 4217 code such as EUR");
  if (description.trim() === "") throw invalid("description", "may not be empty");
  checkText("description", description);
  if (reference !== null) checkText("reference", reference);
  if (customerEmail !== null && (customerEmail.length > EMAIL_LENGTH_MAX || !isMailAddress(customerEmail))) {
    throw invalid("customerEmail", "must be an e-mail address");
  }
  const leftMs = expiresAtMs - atMs;
  if (!(leftMs >= PORTAL_LINK_HOURS_MIN * HOUR_MS - SLACK_MS && leftMs <= PORTAL_LINK_HOURS_MAX * HOUR_MS + SLACK_MS)) {
    throw invalid("expiresInHours", `must be from ${PORTAL_LINK_HOURS_MIN} to ${PORTAL_LINK_HOURS_MAX}`);
  }
  return {
    ...{ amountMinor, currency, customerEmail, expiresAtMs },
    description: maskPans(description),
    reference: reference === null ? null : maskSchemePans(reference),
  };
}

/** The value may be personal, so it is not quoted. */
function checkText(member: string, value: string): void {
  if (value === "" || value.length > LINK_TEXT_LENGTH_MAX) throw invalid(member, `must have 1 to ${LINK_TEXT_LENGTH_MAX} characters`);
  // Half a surrogate pair is no character either.
  if (/[\p{Cc}\p{Cs}]/u.test(value)) throw invalid(member, "may have no control characters");
}

export function invalid(member: string, demand: string): RelayError {
  return new RelayError("invalid_request", `${member}: ${demand}`);
}
