/** An account at the card gateway as it is stored; its secret is sealed for the place of whom it belongs to. */
export interface SealedGatewayAccount {
  readonly terminalId: string;
  readonly merchantId: string;
  readonly sealedSecret: string;
}

/** An account that was replaced: payments that run on it are followed to their end, and undone, on it. */
export interface FormerGatewayAccount extends SealedGatewayAccount {
  readonly untilMs: number;
}

/** The installation's own account at the card gateway (`/admin/gw-credentials`), for links that no partner stands behind. */
export interface GatewayAccount extends SealedGatewayAccount {
  readonly schema: 1;
  /** Absent in records of before there was any. */
  readonly former?: readonly FormerGatewayAccount[];
  readonly updatedAtMs: number;
}

/** How long an account is kept after it was replaced, or its partner deleted. */
export const FORMER_ACCOUNT_KEPT_MS = 400 * 86_400_000;

/** Accounts of a shop that were replaced within that time; the oldest goes beyond it. */
export const FORMER_ACCOUNTS_MAX = 8;

/** The accounts to keep when `before` becomes that of `merchantId`: another secret or terminal of the same merchant replaces none. */
export function formerAccounts(
  former: readonly FormerGatewayAccount[] | undefined,
  before: SealedGatewayAccount | undefined,
  merchantId: string,
  nowMs: number,
): readonly FormerGatewayAccount[] {
  const kept = (former ?? []).filter((account) => account.merchantId !== merchantId && account.untilMs > nowMs);
  if (before === undefined || before.merchantId === merchantId) return kept;
  const replaced = { terminalId: before.terminalId, merchantId: before.merchantId, sealedSecret: before.sealedSecret };
  const others = kept.filter((account) => account.merchantId !== before.merchantId);
  return [{ ...replaced, untilMs: nowMs + FORMER_ACCOUNT_KEPT_MS }, ...others].slice(0, FORMER_ACCOUNTS_MAX);
}

/** The account of a merchant, or today's where a payment does not say whose it is; null where it is not known any more. */
export function accountOfMerchant<Account extends SealedGatewayAccount>(
  current: Account,
  former: readonly FormerGatewayAccount[] | undefined,
  merchantId: string | undefined,
): SealedGatewayAccount | null {
  if (merchantId === undefined || merchantId === current.merchantId) return current;
  return former?.find((account) => account.merchantId === merchantId) ?? null;
}

/** The place that its secret is sealed for. */
export const GATEWAY_ACCOUNT_PLACE = "gateway-account/gwSecretKey";

/** The one key in its table. */
export const GATEWAY_ACCOUNT_KEY = "installation";
