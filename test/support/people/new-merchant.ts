import assert from "node:assert/strict";
import { textMember } from "../http/matches.ts";
import { type NewPartnerApi, newPartnerApi, type PartnerPlace } from "./new-partner-api.ts";

/** A merchant and a partner for one test. */
export interface NewMerchant {
  merchantId: string;
  partner: NewPartnerApi;
  secretKey: string;
}

/** Creates a merchant. Terminals can only be configured for merchants that exist. */
export async function newMerchant(relay: PartnerPlace, merchantId = `SHOP-${relay.uuid()}`): Promise<NewMerchant> {
  const partner = await newPartnerApi(relay);
  const created = await partner.call("POST", "/merchants", { merchantId });
  assert.equal(created.status, 201, created.text);
  return { merchantId, partner, secretKey: textMember(created.body, "keys", "secretKey") };
}
