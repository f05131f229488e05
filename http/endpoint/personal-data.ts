import type { Caller } from "../../engine/access/caller.ts";
import { merchantRoleMay } from "../../engine/access/merchant-user-grant.ts";
import { RelayError } from "../../engine/kernel/errors.ts";

/**
 * Returns true if the caller may see the data of people unmasked. The secret key of a merchant is
 * the merchant itself. A publishable key is in pages that everybody can read.
 */
export function maySeePersonalData(caller: Caller): boolean {
  if (caller.type === "merchantUser") return merchantRoleMay(caller.user.role, "see personal data");
  return caller.type === "merchantKey" && caller.merchant.kind === "secret";
}

/** Throws RelayError `forbidden` (`role`) if the caller may not see what `member` names. */
export function requirePersonalData(caller: Caller, member: string): void {
  if (maySeePersonalData(caller)) return;
  throw new RelayError("forbidden", `${member}: not permitted for your role, which does not see personal data`, { detail: "role" });
}
