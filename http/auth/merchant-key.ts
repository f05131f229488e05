import type { Caller } from "../../engine/access/caller.ts";
import type { MerchantGrant } from "../../engine/access/merchant-grant.ts";
import type { KeyWord } from "../../engine/partners/merchant-by-key.ts";
import { parseBasic } from "./basic.ts";
import type { Refusal } from "./credential-source.ts";

/** Keys have 55 characters; a much longer text is not a key. */
const HEADER_LENGTH_MAX = 256;

const BEARER = /^bearer +([\x21-\x7e]+)$/i;

const MISSING_KEY: Refusal = {
  type: "refused",
  code: "unauthorized",
  message: "A merchant's secret key is required: Authorization: Bearer sk_merchant_...",
};
const INVALID_KEY: Refusal = { type: "refused", code: "unauthorized", message: "Invalid API key" };
const REPLACED_KEY: Refusal = {
  type: "refused",
  code: "unauthorized",
  message: "This API key was replaced by a new one",
  detail: "api_key_expired",
};
const PENDING_KEY: Refusal = {
  type: "refused",
  code: "unauthorized",
  message: "This API key is not valid yet: an owner of the merchant must confirm it, or 24 hours must pass after its creation",
};
const PUBLISHABLE_KEY: Refusal = {
  type: "refused",
  code: "forbidden",
  message: "This call requires the merchant's secret key; a publishable key was given",
  detail: "secret_key_required",
};

/**
 * Finds the merchant of a key that came from an address: null for no key. Rejects with RelayError
 * `unavailable`.
 */
export type FindMerchant = (key: string, ipAddress: string) => Promise<MerchantGrant | KeyWord | null>;

/**
 * Authentication of merchants: `Authorization: Bearer sk_merchant_...`, or Basic with the key as user name and an empty password. Looked up by the key's
 * hash, so the time reveals nothing about any key. Where `kinds` is `secret`, a publishable key is 403.
 */
export async function callerByMerchantKey(
  find: FindMerchant,
  { authorization, ipAddress }: { authorization: string; ipAddress: string },
  kinds: "secret" | "any",
): Promise<Caller | Refusal> {
  if (authorization === "") return MISSING_KEY;
  const key = authorization.length > HEADER_LENGTH_MAX ? null : keyIn(authorization);
  const merchant = key === null ? null : await find(key, ipAddress);
  if (merchant === null) return INVALID_KEY;
  if (merchant === "replaced") return REPLACED_KEY;
  if (merchant === "pending") return PENDING_KEY;
  return kinds === "secret" && merchant.kind !== "secret" ? PUBLISHABLE_KEY : { type: "merchantKey", merchant };
}

/** Whether a page has put the key in itself: no browser attaches such a header on its own. */
export function isBearer(authorization: string): boolean {
  return BEARER.test(authorization);
}

function keyIn(authorization: string): string | null {
  const user = parseBasic(authorization);
  if (user !== null) return user.password === "" ? user.username : null;
  return BEARER.exec(authorization)?.[1] ?? null;
}
