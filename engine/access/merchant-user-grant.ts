/** What a person may be at a merchant (spec of the portal, section 5). */
export const MERCHANT_ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const;
export type MerchantRole = (typeof MERCHANT_ROLES)[number];

/**
 * What there is to do in the portal. `look`: read everything but personal data; `see personal data`: names and addresses of people unmasked; `operate`:
 * exports, and links, disputes and subscriptions; `refund`; `configure`: rules and payment methods; `integrate`: webhooks and logs; `administer
 * agents`; `administer keys`; `administer users`: all but owners; `administer owners`.
 */
export const MERCHANT_ACTS = [
  "look",
  "see personal data",
  "operate",
  "refund",
  "configure",
  "integrate",
  "administer agents",
  "administer keys",
  "administer users",
  "administer owners",
] as const;
export type MerchantAct = (typeof MERCHANT_ACTS)[number];

const MAY: Readonly<Record<MerchantAct, readonly MerchantRole[]>> = {
  look: MERCHANT_ROLES,
  "see personal data": ["OWNER", "ADMIN", "FINANCE"],
  operate: ["OWNER", "ADMIN", "FINANCE"],
  refund: ["OWNER", "ADMIN", "FINANCE"],
  configure: ["OWNER", "ADMIN"],
  integrate: ["OWNER", "ADMIN", "DEVELOPER"],
  "administer agents": ["OWNER", "ADMIN"],
  "administer keys": ["OWNER", "ADMIN"],
  "administer users": ["OWNER", "ADMIN"],
  "administer owners": ["OWNER"],
};

export function merchantRoleMay(role: MerchantRole, act: MerchantAct): boolean {
  return MAY[act].includes(role);
}

/** The roles that may do something, for documents and tests. */
export function rolesThatMay(act: MerchantAct): readonly MerchantRole[] {
  return MAY[act];
}

/**
 * How far a sign-in is. `factor`: the password was right, the second factor is missing; `enrol`: the same, and the account has no second factor yet, which
 * it has to enrol before anything else; `full`: signed in.
 */
export type SessionStage = "factor" | "enrol" | "full";

/** Who a session of the portal speaks for, as it was when the request was authenticated. */
export interface MerchantUserGrant {
  readonly sessionId: string;
  readonly stage: SessionStage;
  readonly accountId: string;
  readonly email: string;
  /** The merchant that the session is at, and what the person is there. */
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly userId: string;
  readonly role: MerchantRole;
  /** Until when what needs a fresh second factor is permitted; 0 for never. */
  readonly steppedUpUntilMs: number;
}
