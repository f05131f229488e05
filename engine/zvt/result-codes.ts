/** Result codes of ZVT that the relay sends, and what each means to a register. */
export const ZVT_CODES = {
  paid: 0x00,
  /** Declined, without a reason that the table knows. */
  declined: 0x05,
  cancelled: 0x6c,
  /** The route's partner may not send to the terminal. */
  notPermitted: 0x6b,
  /** The terminal takes payments in another currency; nothing was sent. */
  currency: 0x6f,
  /** What the register asked for cannot be read. */
  badFormat: 0x9a,
  /** The terminal takes no more for now; nothing was sent. */
  busy: 0xa0,
  /** Not fetched by the terminal in time; it never left. */
  expired: 0xa1,
  /** The terminal is OFFLINE; nothing was sent. */
  offline: 0xa3,
} as const;

/** Reasons of an issuer that are sent as they are, in binary. */
const REASON_MAX = 99;

/** The code of a declined payment: the terminal's action code where it is one of 1 to 99, else 05. */
export function codeOfDecline(actionCode: string | undefined): number {
  const reason = /^\d{1,3}$/.test(actionCode ?? "") ? Number(actionCode) : 0;
  return reason >= 1 && reason <= REASON_MAX ? reason : ZVT_CODES.declined;
}

/** Card types of bitmap 8A, by what terminals call the brand; the longer names stand before those that they begin with. */
const CARD_TYPES: readonly (readonly [brand: RegExp, code: number])[] = [
  [/^(girocard|ec[ -]?(karte|cash|card)?$)/i, 0x05],
  [/^master/i, 0x06],
  [/^(amex|american)/i, 0x08],
  [/^v[ -]?pay/i, 0x0d],
  [/^visa/i, 0x0a],
  [/^diners/i, 0x0c],
  [/^jcb/i, 0x0e],
  [/^maestro/i, 0x2e],
];

/** Null for a brand that has none here. */
export function cardTypeOf(brand: string): number | null {
  const name = brand.trim();
  return CARD_TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
