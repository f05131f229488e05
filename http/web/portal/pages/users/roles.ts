import type { MerchantRole } from "../../../../../engine/access/merchant-user-grant.ts";
import { MERCHANT_ROLES } from "../../../../../engine/access/merchant-user-grant.ts";
import { text } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";

/** Returns the roles that the person may assign, and what each permits. */
export function roleChoices(): { value: MerchantRole; label: string; hint: string }[] {
  const { roles, roleHints } = text();
  return MERCHANT_ROLES.filter((role) => role !== "OWNER" || may("administer owners")).map((role) => ({
    value: role,
    label: roles[role],
    hint: roleHints[role],
  }));
}
