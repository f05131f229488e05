/**
 * A merchant in one of its environments. Records of the other environment are not found. The scope
 * comes from the session or the key of the caller, never from the body of a request.
 */
export interface MerchantScope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** A merchant in one of its environments, with its partner. */
export interface MerchantParty extends MerchantScope {
  readonly partnerId: number;
}

export function isInScope(record: MerchantScope, { merchantId, livemode }: MerchantScope): boolean {
  return record.merchantId === merchantId && record.livemode === livemode;
}
