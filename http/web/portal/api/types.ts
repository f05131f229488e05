import type { Static } from "@sinclair/typebox";
import type { FactorEnrolled, RecoveryCodes, SessionStateJson, TotpBegun } from "../../../surfaces/merchant/schemas.ts";

export type LocaleJson = SessionStateJson["locale"];
export type ThemeJson = SessionStateJson["theme"];
export type SessionMerchantJson = SessionStateJson["merchants"][number];
export type FactorEnrolledJson = Static<typeof FactorEnrolled>;
export type TotpBegunJson = Static<typeof TotpBegun>;
export type RecoveryCodesJson = Static<typeof RecoveryCodes>;

/** A page of a list. */
export interface ListJson<Item> {
  items: Item[];
  next: string | null;
}
