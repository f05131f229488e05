import type { MerchantUserGrant } from "../../../engine/access/merchant-user-grant.ts";
import type { CredentialSource } from "../../../http/auth/credential-source.ts";

/** A session's token, and whom it speaks for. */
export const TOKEN = `A${"b-_9".repeat(10)}xY`;

export const OWNER: MerchantUserGrant = {
  sessionId: "session-1",
  stage: "full",
  accountId: "account-1",
  email: "owner@shop.example",
  merchantId: "SHOP-001",
  partnerId: 7,
  livemode: false,
  userId: "user-1",
  role: "OWNER",
  steppedUpUntilMs: 0,
};

/** Nobody but the sessions and keys that a test adds. */
export const NO_LOGINS: CredentialSource = {
  generation: () => 1,
  machineByName: () => null,
  administratorByUsername: () => null,
  fleet: () => null,
  terminalSecret: () => null,
  isTerminalDenied: () => false,
  managedBy: () => null,
  partnerByUsername: () => null,
  partnerByKeySha256: () => null,
  isOriginListed: () => false,
};
