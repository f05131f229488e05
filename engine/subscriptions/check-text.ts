import { EMAIL_LENGTH_MAX } from "../accounts/account.ts";
import { RelayError } from "../kernel/errors.ts";
import { AMOUNT_MINOR_MAX, LINK_TEXT_LENGTH_MAX } from "../kernel/limits.ts";
import { maskPans } from "../kernel/mask.ts";
import { currencyDecimals } from "../kernel/money.ts";
import { isMailAddress } from "../mails/mail-address.ts";
import type { PlanTerms } from "./plan.ts";
import type { SubscriptionCustomer } from "./subscription.ts";
import { PLAN_COUNTS_MAX, PLAN_INTERVALS, PLAN_TRIAL_DAYS_MAX } from "./words.ts";

/** The ids of cards on file. The provider of the cards chooses them. */
const METHOD_ID = /^[A-Za-z0-9._:-]{1,100}$/;

/**
 * Returns the terms to store. Card numbers in the name are masked. Throws RelayError
 * `invalid_request` naming the member.
 */
export function checkedPlan({ name, amountMinor, currency, interval, count, trialDays }: PlanTerms): PlanTerms {
  checkText("name", name);
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1 || amountMinor > AMOUNT_MINOR_MAX) {
    throw invalid("amountMinor", `must be a whole number of minor units from 1 to ${AMOUNT_MINOR_MAX}`);
  }
  if (currencyDecimals(currency) === null) throw invalid("currency", "must be an ISO 4217 code such as EUR");
  if (!PLAN_INTERVALS.includes(interval)) throw invalid("interval", `must be one of ${PLAN_INTERVALS.join(", ")}`);
  const countMax = PLAN_COUNTS_MAX[interval];
  if (!Number.isInteger(count) || count < 1 || count > countMax) throw invalid("count", `must be a whole number from 1 to ${countMax}`);
  if (!Number.isInteger(trialDays) || trialDays < 0 || trialDays > PLAN_TRIAL_DAYS_MAX) {
    throw invalid("trialDays", `must be a whole number from 0 to ${PLAN_TRIAL_DAYS_MAX}`);
  }
  return { name: maskPans(name), amountMinor, currency, interval, count, trialDays };
}

/** Returns the customer to store. Errors do not quote the values, which are personal data. */
export function checkedCustomer({ name, email, locale }: SubscriptionCustomer): SubscriptionCustomer {
  checkText("customer.name", name);
  if (email.length > EMAIL_LENGTH_MAX || !isMailAddress(email)) throw invalid("customer.email", "must be an e-mail address");
  if (locale !== "it" && locale !== "en") throw invalid("customer.locale", "must be it or en");
  return { name: maskPans(name), email, locale };
}

export function checkedMethod(methodId: string | null): string {
  if (methodId === null || !METHOD_ID.test(methodId)) throw invalid("methodId", "must be the id of a card on file");
  return methodId;
}

/** Rejects control characters, which may not appear on a page or in a mail. */
function checkText(member: string, value: string): void {
  if (value.trim() === "" || value.length > LINK_TEXT_LENGTH_MAX)
    throw invalid(member, `must have 1 to ${LINK_TEXT_LENGTH_MAX} characters`);
  // The expression also rejects half of a surrogate pair.
  if (/[\p{Cc}\p{Cs}]/u.test(value)) throw invalid(member, "may have no control characters");
}

export function invalid(member: string, demand: string): RelayError {
  return new RelayError("invalid_request", `${member}: ${demand}`);
}
