import type { PartnerApiRole, ServiceCode } from "../access/partner-grant.ts";
import type { TerminalRule } from "../access/terminal-rule.ts";
import { FORMER_ACCOUNT_KEPT_MS, type FormerGatewayAccount, type SealedGatewayAccount } from "../gateway/gateway-account.ts";

/** Partners of one installation; all of them are in the memory of each shard. */
export const PARTNERS_MAX = 10_000;

/** Origins that one partner may list: a shop has a few, not hundreds. */
export const ALLOWED_ORIGINS_MAX = 100;

/** Longest time that a replaced API key may go on working. */
export const KEY_GRACE_SECONDS_MAX = 7 * 86_400;

/** What a partner's record may raise: the rates of `pay` (and of scan and print, each by itself) and of `get`. */
export const RAISABLE_RATES = ["pay", "get"] as const;
export type RaisableRate = (typeof RAISABLE_RATES)[number];

/** Requests a second that a partner has beyond those of its addresses, on whatever addresses it calls from; absent: none. */
export type PartnerRates = Readonly<Partial<Record<RaisableRate, number>>>;

/** The most that each of them may be. */
export const PARTNER_RATE_MAX = 1_000;

/** A partner as it is stored. Secrets are hashed, or sealed for the record's own place: `partnerPlace`. */
export interface PartnerRecord {
  readonly schema: 1;
  readonly id: number;
  readonly username: string;
  /** Salted one-way hash of the password. */
  readonly passwordHash: string;
  /** SHA-256 (hex) of the API key. */
  readonly keySha256: string;
  /** The key before, where it was given a grace. */
  readonly previousKey: { readonly sha256: string; readonly untilMs: number } | null;
  readonly enabled: boolean;
  /** Its own account at the card gateway; `gwTml`, `gwApiKey`, `gwSecretKey` on the wire. */
  readonly gateway: SealedGatewayAccount;
  /** The account that it keeps for payments of TEST; another one than `gateway`. Absent: none. */
  readonly testGateway?: SealedGatewayAccount;
  /** Accounts before them. Absent in records of before there were any. */
  readonly formerGateways?: readonly FormerGatewayAccount[];
  /** Where browsers may use its key from, by names of its own; empty: anywhere. */
  readonly allowedOrigins: { readonly [name: string]: string };
  /** Which terminals it may use. */
  readonly terminals: TerminalRule;
  /** Its login at the gateway-protocol adapter (`merId`, HMAC secret); null: none. */
  readonly adapter: { readonly merchantId: string; readonly sealedSecret: string } | null;
  /** Its access to Partner API v1; null: none. */
  readonly partnerApi: PartnerApiAccess | null;
  /** `rateLimits` on the wire. Absent in records of before there were any. */
  readonly rates?: PartnerRates;
  /** The demo partner, whose credentials everyone knows: never loaded outside the sandbox. */
  readonly sandbox: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** A partner that was deleted can do nothing, but payments that it began are still asked for at its gateway account. */
  readonly deletedAtMs: number | null;
}

/** How long the gateway account of a deleted partner is kept. */
export const DELETED_PARTNER_KEPT_MS = FORMER_ACCOUNT_KEPT_MS;

/** What is left of a partner that is deleted. */
export function deletedPartner(record: PartnerRecord, atMs: number): PartnerRecord {
  return {
    ...record,
    passwordHash: "",
    keySha256: "",
    previousKey: null,
    enabled: false,
    allowedOrigins: {},
    adapter: null,
    partnerApi: null,
    deletedAtMs: atMs,
  };
}

/** A partner's access to Partner API v1. Calls are counted apart: a record that changed with each would be written with each. */
export interface PartnerApiAccess {
  readonly partnerCode: string;
  readonly name: string;
  readonly role: PartnerApiRole;
  readonly allowedServices: readonly ServiceCode[];
  readonly maxMerchants: number;
  /** Addresses and CIDRs; empty: any. */
  readonly ipWhitelist: readonly string[];
  /** SHA-256 (hex) of the `pk_partner_` key. */
  readonly keySha256: string;
  readonly previousKey: { readonly sha256: string; readonly untilMs: number } | null;
  /** The `sk_partner_` secret, which signs webhooks. */
  readonly sealedSecret: string;
}

/** A sealed secret of a partner, by the name that it has on the wire. */
export function partnerPlace(partnerId: number, member: "gwSecretKey" | "adapterSecret" | "partnerApiSecret"): string {
  return `partner/${partnerId}/${member}`;
}

/** What no two partners may have in common, by the member that holds it. */
export type PartnerUnique = "username" | "apiKey" | "adapterMerId" | "partnerCode" | "partnerApiKey";

/** The values of a record that have to be unique. User names and codes that differ in case only are the same. */
export function uniquesOf(record: PartnerRecord): { what: PartnerUnique; value: string }[] {
  const { username, keySha256, previousKey, adapter, partnerApi } = record;
  if (record.deletedAtMs !== null) return [];
  return [
    { what: "username", value: username.toLowerCase() },
    { what: "apiKey", value: keySha256 },
    ...(previousKey === null ? [] : [{ what: "apiKey" as const, value: previousKey.sha256 }]),
    ...(adapter === null ? [] : [{ what: "adapterMerId" as const, value: adapter.merchantId }]),
    ...(partnerApi === null
      ? []
      : [
          { what: "partnerCode" as const, value: partnerApi.partnerCode.toLowerCase() },
          { what: "partnerApiKey" as const, value: partnerApi.keySha256 },
        ]),
    ...(partnerApi === null || partnerApi.previousKey === null
      ? []
      : [{ what: "partnerApiKey" as const, value: partnerApi.previousKey.sha256 }]),
  ];
}
