import type { SessionStateJson } from "../../../surfaces/merchant/sign-in/schemas.ts";

export type LocaleJson = SessionStateJson["locale"];
export type ThemeJson = SessionStateJson["theme"];
export type SessionMerchantJson = SessionStateJson["merchants"][number];

/** A page of a list. */
export interface ListJson<Item> {
  items: Item[];
  next: string | null;
}
