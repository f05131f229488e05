import { RelayError } from "../kernel/errors.ts";

/**
 * The refusal for a key of the environment that its merchant is not in: what the merchant has in no
 * environment (its terminals' payments, its settings) is the other one's, and so is the account.
 */
export function otherEnvironment(): RelayError {
  return new RelayError(
    "conflict",
    "This key is of the environment that the merchant is not in: it reaches what is kept apart for its own environment, and begins payments only on an account that is kept for it",
    { detail: "other_environment" },
  );
}
