import { MERCHANT_ROLES, type MerchantRole } from "../../../../../engine/access/merchant-user-grant.ts";
import { rightsOf } from "../../i18n/rights.ts";
import { text } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";

/** Returns the roles that the person may assign, and all that each permits. */
export function roleChoices(): { value: MerchantRole; label: string; hint: string[] }[] {
  return MERCHANT_ROLES.filter((role) => role !== "OWNER" || may("administer owners")).map((value) => ({
    value,
    label: text().roles[value],
    hint: rightsOf(value).can,
  }));
}
