import { RelayError } from "../kernel/errors.ts";
import { DUNNING_DAYS_MAX, DUNNING_FINAL_ACTIONS, DUNNING_RETRIES_MAX } from "./words.ts";

export type DunningFinalAction = (typeof DUNNING_FINAL_ACTIONS)[number];

/** What is done about a cycle that is not paid. */
export interface DunningTerms {
  /** Days after the first failure, increasing: 1 to 8 of them. */
  readonly retryDays: readonly number[];
  /** A day after the last retry. STAY: the subscription stays past due until somebody decides. */
  readonly finalAction: DunningFinalAction;
  /** Whether the customer is written to: at the first failure, at each step and when it is paid after all. */
  readonly mails: boolean;
}

/** The policy of a merchant; without a record the default counts. */
export interface DunningPolicyRecord {
  readonly schema: 1;
  readonly merchantId: string;
  readonly terms: DunningTerms;
  readonly updatedAtMs: number;
}

export const DUNNING_DEFAULT: DunningTerms = { retryDays: [1, 3, 5, 7], finalAction: "CANCEL", mails: true };

/** Terms as they are stored. Throws RelayError `invalid_request` naming the member. */
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
