import { Type } from "@sinclair/typebox";
import { refusal } from "../envelope.ts";

export const InvitationParams = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 64, description: "The token from the link in the mail." }),
});

/**
 * Returns the one response for a link that is not valid, for every reason, so that guessing reveals
 * nothing.
 */
export function usedOrExpired() {
  return refusal(410, "used_or_expired", "This link was used, was replaced by a newer one, or has expired; ask for a new one");
}

export const USED_OR_EXPIRED = "The link was used, was replaced by a newer one, or has expired (used_or_expired).";
