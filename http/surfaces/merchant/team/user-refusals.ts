import { USERS_MAX } from "../../../../engine/accounts/team.ts";
import { RESEND_AFTER_SECONDS, type UserOutcome } from "../../../../engine/accounts/users.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { refusal } from "../envelope.ts";

type Why = Extract<UserOutcome, { type: "refused" }>["why"];

export const USER_CONFLICTS = {
  full: `The merchant already has ${USERS_MAX} users, including invited ones (users_full)`,
  exists: "a user or an invitation already has this address (user_exists)",
  lastOwner: "the user is the last active owner (last_owner)",
  invited: "the user has not accepted the invitation yet (conflict)",
  stale: "the user is no longer as in `seen` (conflict)",
  joined: "the user has already accepted the invitation (conflict)",
};

/**
 * Returns the response to a rejected change of the team. Throws RelayError for reasons that have a
 * usual code.
 */
export function userRefusal(why: Why) {
  switch (why) {
    case "users_full":
      return refusal(409, "users_full", `A merchant has at most ${USERS_MAX} users, including invited ones; remove one first`);
    case "user_exists":
      return refusal(409, "user_exists", "A user or an invitation already has this address");
    case "last_owner":
      return refusal(409, "last_owner", "A merchant always needs an active owner; make somebody else an owner first");
    case "role":
      throw new RelayError("forbidden", "Not permitted: only owners may change owners, and users cannot change their own role or state", {
        detail: "role",
      });
    case "not_found":
      throw new RelayError("not_found", "There is no such user");
    case "invited":
      throw new RelayError("conflict", "The user has not accepted the invitation yet; remove the user to withdraw the invitation");
    case "joined":
      throw new RelayError("conflict", "The user has already accepted the invitation");
    case "stale":
      throw new RelayError("conflict", "Somebody else changed this user in the meantime; read the user again");
    case "too_soon":
      throw new RelayError("rate_limited", "The invitation was sent a moment ago; wait a minute before you send it again", {
        retryAfterSeconds: RESEND_AFTER_SECONDS,
      });
    case "owner_active":
      throw new Error("only partners are refused because of an active owner");
    case "inactive":
      throw new RelayError("conflict", "The merchant is deactivated");
  }
}
