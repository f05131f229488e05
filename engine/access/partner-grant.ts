/** The payment services of a merchant, as Partner API v1 names them. */
export const SERVICE_CODES = [
  "IGFS",
  "SHIFT4",
  "PAYPAL",
  "AMAZON_PAY",
  "BANCOMAT_PAY",
  "BIZUM",
  "SKRILL",
  "ZONDA",
  "SATISPAY",
  "ASSIOPAY",
] as const;

export type ServiceCode = (typeof SERVICE_CODES)[number];

/** Names of service codes and of JavaScript's own members alike are looked up here, never in an object. */
const CODES: ReadonlySet<string> = new Set(SERVICE_CODES);

export function isServiceCode(text: string): text is ServiceCode {
  return CODES.has(text);
}

/**
 * The role of a partner in Partner API v1. ADMIN may do everything; OPERATOR may change merchants and
 * their services, but neither create nor deactivate merchants nor make keys; VIEWER may only look.
 */
export type PartnerApiRole = "ADMIN" | "OPERATOR" | "VIEWER";
export const PARTNER_API_ROLES = ["ADMIN", "OPERATOR", "VIEWER"] as const;

/** What a call of the Partner API does, as far as roles tell calls apart. */
export type PartnerApiAct = "look" | "change" | "own";

const PERMITTED: Readonly<Record<PartnerApiRole, readonly PartnerApiAct[]>> = {
  ADMIN: ["look", "change", "own"],
  OPERATOR: ["look", "change"],
  VIEWER: ["look"],
};

export function roleMay(role: PartnerApiRole, act: PartnerApiAct): boolean {
  return PERMITTED[role].includes(act);
}

/** What a partner may do at the Partner API, as it was when the call was authenticated. */
export interface PartnerApiGrant {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly name: string;
  readonly role: PartnerApiRole;
  readonly allowedServices: readonly ServiceCode[];
  readonly maxMerchants: number;
}

/** Addresses and networks (CIDR) that one partner may name. */
export const ALLOWED_ADDRESSES_MAX = 256;

/** The services in the order of SERVICE_CODES, each once; null where one of the words is none. */
export function servicesOf(words: readonly string[]): ServiceCode[] | null {
  return words.every(isServiceCode) ? SERVICE_CODES.filter((code) => words.includes(code)) : null;
}
