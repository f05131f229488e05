import { endedError } from "../../../../engine/accounts/enrol-factors.ts";
import type { FactorOutcome } from "../../../../engine/accounts/factor-steps.ts";
import { refusal } from "../envelope.ts";
import { nowhereError, type SignInOperations, stateBody } from "./surface.ts";

/**
 * Returns the response to a second factor: the session with its new token, or the reason for
 * rejecting it.
 */
export async function factorAnswer(operations: SignInOperations, outcome: FactorOutcome) {
  switch (outcome.type) {
    case "begun":
      return {
        status: 200,
        body: await stateBody(operations, outcome.session),
        headers: { "Set-Cookie": operations.portalCookie.handOut(outcome.token) },
      } as const;
    case "invalid":
      return refusal(401, "invalid_code", "The code or the passkey's response is wrong");
    case "ended":
      throw endedError();
    case "nowhere":
      throw nowhereError();
  }
}
