import { PROTOCOL_RESULT } from "../../../http/gateway/forms.ts";

export interface Outcome {
  resultCode: string;
  description: string;
}

export const APPROVED: Outcome = { resultCode: PROTOCOL_RESULT.completed, description: "Transaction completed successfully" };
export const CANCELLED: Outcome = { resultCode: PROTOCOL_RESULT.cancelledByBuyer, description: "Payment cancelled by the buyer" };
export const EXPIRED: Outcome = { resultCode: PROTOCOL_RESULT.expired, description: "Session expired (timeout)" };

const NOT_AUTHORIZED: Outcome = { resultCode: PROTOCOL_RESULT.notAuthorized, description: "Card not authorized" };
const INSUFFICIENT: Outcome = { resultCode: PROTOCOL_RESULT.insufficientFunds, description: "Insufficient funds" };
/** A code that the relay does not interpret: gateways have many more. */
const ISSUER_AWAY: Outcome = { resultCode: "GW_10099", description: "Card issuer not available" };

/** Cards that are refused; any other number with a valid check digit pays. README.md has the same table. */
const CARDS: { readonly [number: string]: Outcome } = {
  "4000000000000002": NOT_AUTHORIZED,
  "4000000000009995": INSUFFICIENT,
  "4000000000000069": EXPIRED,
  "4000000000000119": ISSUER_AWAY,
};

/** The same for BANCOMAT Pay, by the end of the phone number. */
const PHONES: { readonly [ending: string]: Outcome } = { "02": NOT_AUTHORIZED, "95": INSUFFICIENT, "69": EXPIRED, "19": ISSUER_AWAY };

export function outcomeOfCard(digits: string): Outcome {
  return CARDS[digits] ?? APPROVED;
}

export function outcomeOfPhone(digits: string): Outcome {
  return PHONES[digits.slice(-2)] ?? APPROVED;
}

/** The check digit of a card number (Luhn). */
export function isCardNumber(digits: string): boolean {
  if (!/^\d{12,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

export function brandOf(digits: string): string {
  if (digits.startsWith("4")) return "VISA";
  if (/^(?:5[1-5]|2[2-7])/.test(digits)) return "MASTERCARD";
  if (/^3[47]/.test(digits)) return "AMEX";
  return "OTHER";
}

/** The first six and the last four digits; all that is kept of a card. */
export function masked(digits: string): string {
  return `${digits.slice(0, 6)}${"*".repeat(digits.length - 10)}${digits.slice(-4)}`;
}
