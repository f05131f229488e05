import { hasUuidForm, isSameUuid, uuidKey } from "../../engine/kernel/identifiers.ts";
import { decimalsOf, UNUSUAL_DECIMALS } from "../../engine/kernel/money.ts";
import { isOneErrorApart, unchangedParts } from "../../engine/kernel/typing-error.ts";
import type { MerchantTransactionFilter } from "../../engine/payments/merchant-transactions.ts";
import type { Transaction } from "../../engine/payments/transaction.ts";

/** A condition. `isOfKey`: it uses only columns that never change for a row. */
export interface WantedCondition {
  readonly text: string;
  readonly isOfKey: boolean;
  readonly parameters: Record<string, unknown>;
}

/** `decimalsOf` in SQL. */
const DECIMALS = `multiIf(${UNUSUAL_DECIMALS.map(
  ([decimals, codes]) => `currency IN (${codes.map((code) => `'${code}'`).join(", ")}), ${decimals}`,
).join(", ")}, 2)`;

/** Returns the conditions for rows that a person looks for by a text or an amount. */
export function wantedConditions({ q, wanted, near }: MerchantTransactionFilter): WantedCondition[] {
  const conditions: WantedCondition[] = [];
  if (q !== undefined) conditions.push(byText(q, "q"));
  if (near !== undefined) {
    const { head: nearHead, tail: nearTail } = unchangedParts(near);
    conditions.push({
      text: "(startsWith(lower(uuid), {nearHead:String}) OR endsWith(lower(uuid), {nearTail:String})) AND damerauLevenshteinDistance(lower(uuid), {near:String}) = 1",
      isOfKey: true,
      parameters: { near, nearHead, nearTail },
    });
  }
  if (wanted !== undefined) {
    const amounts = {
      text: `(amount_cents, ${DECIMALS}) IN (${wanted.amounts.map((_, index) => `({minor${index}:Int64}, {decimals${index}:UInt8})`).join(", ")})`,
      isOfKey: false,
      parameters: Object.fromEntries(
        wanted.amounts.flatMap(({ minor, decimals }, index) => [
          [`minor${index}`, minor],
          [`decimals${index}`, decimals],
        ]),
      ),
    };
    const any = [...(wanted.text === null ? [] : [byText(wanted.text, "wanted")]), ...(wanted.amounts.length === 0 ? [] : [amounts])];
    conditions.push({
      text: any.length === 0 ? "false" : `(${any.map(({ text }) => text).join(" OR ")})`,
      isOfKey: any.every(({ isOfKey }) => isOfKey),
      parameters: Object.assign({}, ...any.map(({ parameters }) => parameters)),
    });
  }
  return conditions;
}

function byText(text: string, name: string): WantedCondition {
  if (hasUuidForm(text)) return { text: `lower(uuid) = {${name}:String}`, isOfKey: true, parameters: { [name]: uuidKey(text) } };
  const [same, small] = [`{${name}:String}`, `{${name}Small:String}`];
  return {
    text: `(startsWith(uuid, ${same}) OR startsWith(uuid, ${small}) OR auth_code = ${same} OR last4 = ${same})`,
    isOfKey: false,
    parameters: { [name]: text, [`${name}Small`]: text.toLowerCase() },
  };
}

/** Checks a row that ClickHouse does not have yet in the same way. */
export function isWanted(transaction: Transaction, { q, wanted, near }: MerchantTransactionFilter): boolean {
  const { uuid, amountCents, currency } = transaction;
  if (q !== undefined && !hasText(transaction, q)) return false;
  if (near !== undefined && !isOneErrorApart(uuid.toLowerCase(), near)) return false;
  if (wanted === undefined) return true;
  if (wanted.text !== null && hasText(transaction, wanted.text)) return true;
  return wanted.amounts.some(({ minor, decimals }) => minor === amountCents && decimals === decimalsOf(currency));
}

function hasText(transaction: Transaction, text: string): boolean {
  const { uuid, auth } = transaction;
  if (hasUuidForm(text)) return isSameUuid(text, uuid);
  return uuid.startsWith(text) || uuid.startsWith(text.toLowerCase()) || auth?.authCode === text || last4Of(transaction) === text;
}

/** Computes `last4` in the same way as the materialized view of migration 0005. */
export function last4Of({ card }: Transaction): string {
  return /[0-9]{4}$/.exec(card?.maskedPan ?? "")?.[0] ?? "";
}
