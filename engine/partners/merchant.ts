import type { ServiceCode } from "../access/partner-grant.ts";
import { RelayError } from "../kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../kernel/limits.ts";
import { maskPans } from "../kernel/mask.ts";
import type { ServiceConfiguration } from "./merchant-service.ts";
import type { OpeningInterval } from "./opening-hours.ts";

/** Whether a merchant's payments move money. */
export type MerchantEnvironment = "TEST" | "LIVE";
export const MERCHANT_ENVIRONMENTS = ["TEST", "LIVE"] as const;

/** Shown to customers on some services' pages; longer names are cut there anyway. */
export const MERCHANT_NAME_LENGTH_MAX = 128;

/**
 * Merchants of one partner, deactivated ones too: their ids stay taken, so creating and deactivating in turns must not fill the store. No
 * partner's `maxMerchants` may be above it.
 */
export const MERCHANTS_PER_PARTNER_MAX = 10_000;

/** A merchant as it is stored. Ids are unique in the whole installation: terminals and deployments name merchants by them. */
export interface MerchantRecord {
  schema: 1;
  merchantId: string;
  /** Whose it is. */
  partnerId: number;
  merchantName: string;
  environment: MerchantEnvironment;
  /** False once it is deactivated: its keys open nothing, and it does not count towards `maxMerchants`. */
  active: boolean;
  createdAtMs: number;
  updatedAtMs: number;
  /** Under which it was created: a repetition of that request finds its own merchant and not one that is in its way. */
  createdBy: string;
  /** SHA-256 (hex) of its two keys; the keys themselves are shown once and not stored. */
  keys: MerchantKeyDigests;
  /** What is shown of them afterwards. Absent in records of before that was kept. */
  shownKeys?: ShownKeys;
  /** Those before them, which open nothing: who goes on using one is told why it is refused. Absent until there are any. */
  previousKeys?: MerchantKeyDigests;
  /**
   * New keys that its partner asked for while an owner was active: they take the place of `keys`
   * when their time comes (`keysAt`).
   */
  pendingKeys?: PendingKeys;
  /**
   * The environment of the four members above. Absent while the merchant is still in the environment
   * that it was in when they were made, or when keys first had one.
   */
  keysEnvironment?: MerchantEnvironment;
  /** The keys of the other environment. Absent until some were asked for. */
  otherKeys?: EnvironmentKeys;
  services: { [code in ServiceCode]?: MerchantService };
  /** Calls with its secret key in any minute. Absent where neither an administrator nor its partner has said anything. */
  callsPerMinute?: MerchantCallLimit;
  /** Schemes of apps that buyers may return to (return-schemes.ts). Absent where none was registered. */
  returnSchemes?: readonly string[];
  /** When the shop is open (opening-hours.ts). Absent: the relay derives it from payments. */
  openingHours?: readonly OpeningInterval[];
}

export interface MerchantCallLimit {
  /** What an administrator permits; CALLS_PER_MINUTE_DEFAULT when absent. */
  permitted?: number;
  /** What its partner has chosen; counts only below that. */
  chosen?: number;
}

/** `compatRequestsPerMinute` on the wire (spec, "Limits"). */
export const CALLS_PER_MINUTE_DEFAULT = 100;
export const CALLS_PER_MINUTE_MAX = 10_000;

/** What an administrator permits. */
export function permittedCallsPerMinute({ callsPerMinute }: MerchantRecord): number {
  return callsPerMinute?.permitted ?? CALLS_PER_MINUTE_DEFAULT;
}

/** How many calls with its secret key a merchant may make in any minute. */
export function callsPerMinute(merchant: MerchantRecord): number {
  const permitted = permittedCallsPerMinute(merchant);
  return Math.min(permitted, merchant.callsPerMinute?.chosen ?? permitted);
}

export interface MerchantKeyDigests {
  publishable: string;
  secret: string;
}

export interface ShownKeys {
  /** Whole: it stands in pages that everybody reads. */
  publishable: string;
  /** The beginning of the secret one, by which its owner recognises it. */
  secretPrefix: string;
  madeAtMs: number;
}

/** The keys of a merchant in one environment, as in the members of its record. */
export interface EnvironmentKeys {
  keys?: MerchantKeyDigests;
  shownKeys?: ShownKeys;
  previousKeys?: MerchantKeyDigests;
  pendingKeys?: PendingKeys;
}

export interface PendingKeys {
  keys: MerchantKeyDigests;
  shownKeys: ShownKeys;
  appliesAtMs: number;
}

/** What a merchant has of one service. */
export interface MerchantService {
  enabled: boolean;
  /** Null until it is configured. */
  configuration: ServiceConfiguration | null;
}

/** How many merchants a partner has; changes in the same commit as the merchants themselves. */
export interface MerchantCount {
  active: number;
  /** Deactivated ones too. */
  stored: number;
}

/** Whose a merchant is, as every shard has it in memory; deactivated merchants too. */
export interface MerchantOwner {
  readonly schema: 1;
  readonly partnerId: number;
  /** Absent while the merchant is active. */
  readonly inactive?: true;
}

/** Which of a partner's merchants a list is to have. */
export type MerchantStatus = "ACTIVE" | "INACTIVE";

/** At least one letter or digit: a path of dots alone is resolved away before it gets here. */
const SHAPE = new RegExp(`^(?=.*[A-Za-z0-9])[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);
export const MERCHANT_ID_PATTERN = SHAPE.source;

/** Says whether `text` can be a merchant id. */
export function isMerchantId(text: string): boolean {
  return SHAPE.test(text);
}

/** Control characters, halves of characters, line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A display name as it is kept, without card numbers. Throws RelayError `invalid_request` for one that is empty, too long or not printable. */
export function merchantNameOf(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > MERCHANT_NAME_LENGTH_MAX || UNPRINTABLE.test(name)) {
    throw new RelayError("invalid_request", `merchantName: must be a string of 1 to ${MERCHANT_NAME_LENGTH_MAX} printable characters`);
  }
  return maskPans(name);
}

/** A service of a merchant; one that was never touched is neither enabled nor configured. */
export function serviceOf(merchant: MerchantRecord, code: ServiceCode): MerchantService {
  return merchant.services[code] ?? { enabled: false, configuration: null };
}
