import { MERCHANT_ACTS, type MerchantRole, merchantRoleMay } from "../../../../engine/access/merchant-user-grant.ts";
import { text } from "./texts.ts";

/** Returns what a role may do and what not, in words, from the declarations that the relay uses. */
export function rightsOf(role: MerchantRole): { can: string[]; cannot: string[] } {
  const { rights } = text();
  const words = (permitted: boolean) => MERCHANT_ACTS.filter((act) => merchantRoleMay(role, act) === permitted).map((act) => rights[act]);
  return { can: words(true), cannot: words(false) };
}

/** Returns all rights of a role in one text. */
export function rightsText(role: MerchantRole): string {
  return rightsOf(role).can.join(" · ");
}
