import { RelayError } from "../kernel/errors.ts";
import { DUNNING_DAYS_MAX, DUNNING_FINAL_ACTIONS, DUNNING_RETRIES_MAX } from "./words.ts";

export type DunningFinalAction = (typeof DUNNING_FINAL_ACTIONS)[number];

/** The actions for an unpaid cycle. */
export interface DunningTerms {
  /** One to eight days after the first failure, increasing. */
  readonly retryDays: readonly number[];
  /**
   * The action a day after the last retry. With STAY, the subscription stays past due until
   * somebody decides.
   */
  readonly finalAction: DunningFinalAction;
  /**
   * Whether the customer gets mails: at the first failure, at each step and after a late payment.
   */
  readonly mails: boolean;
}

/** The policy of a merchant. Without a record, the default applies. */
export interface DunningPolicyRecord {
  readonly schema: 1;
  readonly merchantId: string;
  readonly terms: DunningTerms;
  readonly updatedAtMs: number;
}

export const DUNNING_DEFAULT: DunningTerms = { retryDays: [1, 3, 5, 7], finalAction: "CANCEL", mails: true };

/** Returns the terms to store. Throws RelayError `invalid_request` naming the member. */
export function checkedTerms({ retryDays, finalAction, mails }: DunningTerms): DunningTerms {
  const inOrder = retryDays.every((day, index) => Number.isInteger(day) && day >= 1 && day > (retryDays[index - 1] ?? 0));
  if (retryDays.length < 1 || retryDays.length > DUNNING_RETRIES_MAX || !inOrder || (retryDays.at(-1) ?? 0) > DUNNING_DAYS_MAX) {
    throw invalid("retryDays", `must be 1 to ${DUNNING_RETRIES_MAX} increasing numbers of days from 1 to ${DUNNING_DAYS_MAX}`);
  }
  if (!DUNNING_FINAL_ACTIONS.includes(finalAction)) throw invalid("finalAction", `must be one of ${DUNNING_FINAL_ACTIONS.join(", ")}`);
  if (typeof mails !== "boolean") throw invalid("mails", "must be true or false");
  return { retryDays: [...retryDays], finalAction, mails };
}

function invalid(member: string, demand: string): RelayError {
  return new RelayError("invalid_request", `${member}: ${demand}`);
}
