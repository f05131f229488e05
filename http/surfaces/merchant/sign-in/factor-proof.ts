import type { Static } from "@sinclair/typebox";
import type { FactorProof } from "../../../../engine/accounts/prove-factor.ts";
import type { FactorOutcome } from "../../../../engine/accounts/sign-in.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { refusal } from "../envelope.ts";
import type { SecondFactor } from "../schemas.ts";
import { endedError, nowhereError, type SignInOperations, stateBody } from "./surface.ts";

/** The code that was sent. */
export function codeProof({ code, recoveryCode }: Static<typeof SecondFactor>): FactorProof {
  if ((code === undefined) === (recoveryCode === undefined))
    throw new RelayError("invalid_request", "Send either `code` or `recoveryCode`");
  return recoveryCode === undefined ? { type: "code", code: code ?? "" } : { type: "recovery", code: recoveryCode };
}

/** The answer to a second factor: the session with its new token, or why there is none. */
export async function factorAnswer(operations: SignInOperations, outcome: FactorOutcome) {
  switch (outcome.type) {
    case "begun":
      return {
        status: 200,
        body: await stateBody(operations, outcome.session),
        headers: { "Set-Cookie": operations.portalCookie.handOut(outcome.token) },
      } as const;
    case "invalid":
      return refusal(401, "invalid_code", "The code, or the answer of the passkey, is not right");
    case "ended":
      throw endedError();
    case "nowhere":
      throw nowhereError();
  }
}
