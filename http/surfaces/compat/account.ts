import { createHash } from "node:crypto";
import { call } from "./call.ts";
import { EXPAND, readExpansion } from "./expand.ts";
import { Account } from "./schemas.ts";

const ID_CHARS = 16;

export const retrieveAccount = call({
  name: "compatRetrieveAccount",
  method: "GET",
  path: "/account",
  summary: "Get the account",
  description: "For clients that ask which merchant a key belongs to. The relay does not know what is missing here.",
  fields: { expand: EXPAND },
  answer: { description: "The account.", schema: Account },
  errors: [400],
  handle: async (_operations, { members, merchant }) => {
    readExpansion(members.expand, "nothing", false);
    // Clients compare accounts by their ids, which have to look like the platform's.
    const digest = createHash("sha256").update(`account ${merchant.merchantId}`).digest("hex");
    return {
      id: `acct_${digest.slice(0, ID_CHARS)}`,
      object: "account",
      business_profile: null,
      charges_enabled: true,
      details_submitted: true,
      email: null,
      metadata: { merchant_id: merchant.merchantId },
      payouts_enabled: false,
      type: "standard",
    };
  },
});
