import { RelayError } from "../kernel/errors.ts";

/**
 * The refusal for a key of the environment that its merchant is not in: what the merchant has in no
 * environment (its terminals' payments, its settings) is the other one's, and so is the account.
 */
export function otherEnvironment(): RelayError {
  return new RelayError(
    "conflict",
    "This key belongs to the merchant's other environment: it can read that environment's data, and can start payments only if the partner has an account for that environment",
    { detail: "other_environment" },
  );
}
