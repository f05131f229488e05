import type { TerminalMatcher } from "../access/terminal-rule.ts";
import type { PartnerRecord } from "./partner.ts";

/** A partner with its rule ready to be asked. */
export interface Partner {
  readonly record: PartnerRecord;
  readonly terminals: TerminalMatcher;
}

/**
 * The partners, in memory of each shard: lookups wait for nothing. Disabled ones are found too, who asks decides; deleted ones only where it is said.
 */
export interface Partners {
  /** Grows with every change of any partner, and when a replaced key's grace ends. */
  generation(): number;
  byId(id: number): Partner | null;
  /** Deleted ones too: for payments that they began. */
  everById(id: number): Partner | null;
  byUsername(username: string): Partner | null;
  /** By the SHA-256 (hex) of its API key, or of the key before within its grace. */
  byKeySha256(keySha256: string): Partner | null;
  /** By its `merId` at the gateway-protocol adapter. */
  byAdapterMerchant(merchantId: string): Partner | null;
  /** By the SHA-256 (hex) of its Partner API key, or of the one before within its grace. */
  byPartnerApiKeySha256(keySha256: string): Partner | null;
  byPartnerCode(partnerCode: string): Partner | null;
  /** Whether any enabled partner lists this origin. */
  isOriginListed(origin: string): boolean;
  /** By id. */
  list(): Partner[];
  /** To be called after a partner was stored or removed: resolves once every shard of every live node has taken it in. */
  spread(id: number): Promise<void>;
}
