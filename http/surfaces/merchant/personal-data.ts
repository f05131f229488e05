import type { Caller } from "../../../engine/access/caller.ts";
import { merchantRoleMay } from "../../../engine/access/merchant-user-grant.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";

/** Whether the caller sees names and addresses of people unmasked. The merchant's secret key is the merchant itself; a publishable one stands in pages that everybody reads. */
export function maySeePersonalData(caller: Caller): boolean {
  if (caller.type === "merchantUser") return merchantRoleMay(caller.user.role, "see personal data");
  return caller.type === "merchantKey" && caller.merchant.kind === "secret";
}

/** Throws RelayError `forbidden` (`role`) for who does not see what `member` names. */
export function requirePersonalData(caller: Caller, member: string): void {
  if (maySeePersonalData(caller)) return;
  throw new RelayError("forbidden", `${member}: not permitted for your role, which does not see personal data`, { detail: "role" });
}
