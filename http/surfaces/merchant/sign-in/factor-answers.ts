import type { EnrolOutcome, RemoveOutcome } from "../../../../engine/accounts/enrol-factors.ts";
import { endedError } from "../../../../engine/accounts/enrol-factors.ts";
import type { OwnSession } from "../../../../engine/accounts/factor-steps.ts";
import type { OwnAccount } from "../../../../engine/accounts/own-account.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { NO_STORE } from "../../parts/factor-schemas.ts";
import { ok, refusal } from "../envelope.ts";
import { meJson } from "./me-json.ts";
import { nowhereError, type SignInOperations, stateBody } from "./surface.ts";

/** Returns the response to the addition of a factor. */
export async function enrolledAnswer(operations: SignInOperations, outcome: EnrolOutcome) {
  switch (outcome.type) {
    case "enrolled": {
      const { recoveryCodes, token, session } = outcome;
      const { data } = await stateBody(operations, session);
      return {
        status: 200,
        body: ok({ recoveryCodes: recoveryCodes === null ? null : [...recoveryCodes], session: data }),
        headers: { ...NO_STORE, ...(token === null ? {} : { "Set-Cookie": operations.portalCookie.handOut(token) }) },
      } as const;
    }
    case "invalid":
      return refusal(
        400,
        "invalid_code",
        "The code or the authenticator's response is wrong; start again if it was requested some minutes ago",
      );
    case "ended":
      throw endedError();
    case "nowhere":
      throw nowhereError();
  }
}

/** Returns the response to the removal of a factor: the current account. */
export async function removedAnswer(ownAccount: OwnAccount, own: OwnSession, outcome: RemoveOutcome) {
  if (outcome === "last") return refusal(409, "last_factor", "This is your only second factor; add another one first");
  if (outcome === "not found") throw new RelayError("not_found", "You have no such second factor");
  return { status: 200, body: ok(meJson(await ownAccount.find(own))) } as const;
}
