import type { Caller } from "../../engine/access/caller.ts";
import type { PartnerApiGrant } from "../../engine/access/partner-grant.ts";
import type { Refusal } from "./credential-source.ts";
import { sha256Hex } from "./digest.ts";

/** Keys have 54 characters; a much longer text is not a key. */
const HEADER_LENGTH_MAX = 256;

const BEARER = /^bearer +([\x21-\x7e]+)$/i;

const MISSING_KEY: Refusal = {
  type: "refused",
  code: "unauthorized",
  message: "A partner API key is required: Authorization: Bearer pk_partner_...",
};
const INVALID_KEY: Refusal = { type: "refused", code: "unauthorized", message: "Invalid API key" };
const FOREIGN_ADDRESS: Refusal = { type: "refused", code: "forbidden", message: "This IP address is not authorized" };

/** A partner of Partner API v1, found by its key. */
export interface PartnerApiCredential {
  readonly caller: Caller;
  readonly grant: PartnerApiGrant;
  /** Whether its whitelist contains the client's address. */
  mayCallFrom(ipAddress: string): boolean;
}

/** The source of the keys of Partner API v1: lookups in memory. */
export interface PartnerApiCredentials {
  /** The enabled partner with this key (SHA-256, hex), or with it as the previous key during its grace period. */
  byKeySha256(keySha256: string): PartnerApiCredential | null;
  /** A call was authenticated. */
  called(partnerId: number): void;
}

/**
 * Authentication of Partner API v1: `Authorization: Bearer pk_partner_...`; 401 for a missing or invalid key, 403 for an address that the
 * partner's whitelist does not have. Looked up by the key's hash, so the time reveals nothing about any key.
 */
export function callerByBearer(credentials: PartnerApiCredentials, authorization: string, ipAddress: string): Caller | Refusal {
  if (authorization === "") return MISSING_KEY;
  const key = authorization.length > HEADER_LENGTH_MAX ? undefined : BEARER.exec(authorization)?.[1];
  const credential = key === undefined ? null : credentials.byKeySha256(sha256Hex(key));
  if (credential === null) return INVALID_KEY;
  if (!credential.mayCallFrom(ipAddress)) return FOREIGN_ADDRESS;
  credentials.called(credential.grant.partnerId);
  return credential.caller;
}
