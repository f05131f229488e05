import { readBcd, readDigits } from "./bytes.ts";
import { type Field, fieldOf, readFields } from "./fields.ts";
import { SLIP_LINE_CHARACTERS_MAX, SLIP_LINE_CHARACTERS_MIN } from "./limits.ts";
import { readTlvs } from "./tlv.ts";

/** Commands of a register, read from their data. All functions are total: null is data that cannot be read. */

export interface Registration {
  /** Six digits where the register keeps to BCD. */
  password: string;
  configByte: number;
  /** Four digits, null where none was sent. */
  currency: string | null;
  /** The register prints text blocks (06-D3). */
  textBlocks: boolean;
  /** Characters of a line of its printer, null where it does not say. */
  lineWidth: number | null;
}

/**
 * `password config [currency] [03 service] [06 TLV]`. What follows the config byte is a currency, as the protocol says: a register that sends none
 * sends nothing after it.
 */
export function readRegistration(data: Uint8Array): Registration | null {
  const configByte = data[3];
  if (configByte === undefined) return null;
  const currency = data.length < 6 ? null : readDigits(data.subarray(4, 6));
  const fields = readFields(data.subarray(data.length < 6 ? 4 : 6));
  if (fields === null || (data.length >= 6 && currency === null)) return null;
  const elements = readTlvs(fieldOf(fields, 0x06) ?? new Uint8Array(0)) ?? [];
  const permitted = readTlvs(elements.find(({ tag }) => tag === 0x26)?.value ?? new Uint8Array(0)) ?? [];
  const width = readBcd((elements.find(({ tag }) => tag === 0x12)?.value ?? new Uint8Array(0)).subarray(0, 2)) ?? 0;
  return {
    password: Buffer.from(data.subarray(0, 3)).toString("hex"),
    configByte,
    currency,
    textBlocks: permitted.some(({ tag, value }) => tag === 0x0a && value.length === 2 && value[0] === 0x06 && value[1] === 0xd3),
    lineWidth: width >= SLIP_LINE_CHARACTERS_MIN && width <= SLIP_LINE_CHARACTERS_MAX ? width : null,
  };
}

/** `unreadable`: 9A; `vending` asks for a reversal by itself, which no terminal of ours has. */
export type Authorization =
  | { type: "payment"; amountCents: number; currency: string | null }
  | { type: "unreadable" | "zeroAmount" | "cardData" | "vending" };

/** Card number, tracks, chip data and card verification value: a register that has them must not send them here. */
const CARD_DATA = [0x22, 0x23, 0x24, 0x2d, 0x2e, 0x3a, 0xa7];

/** Time limit and number of statuses, which only vending machines send. */
const VENDING = [0x01, 0x02];

export function readAuthorization(data: Uint8Array): Authorization {
  const fields = readFields(data);
  if (fields === null) return { type: "unreadable" };
  if (has(fields, CARD_DATA)) return { type: "cardData" };
  if (has(fields, VENDING)) return { type: "vending" };
  // Of two amounts nobody knows which one is meant.
  const [amount, ...more] = fields.filter(({ tag }) => tag === 0x04);
  const amountCents = amount === undefined || more.length > 0 ? null : readBcd(amount.value);
  const sent = fieldOf(fields, 0x49);
  const currency = sent === undefined ? null : readDigits(sent);
  if (amountCents === null || (sent !== undefined && currency === null)) return { type: "unreadable" };
  return amountCents === 0 ? { type: "zeroAmount" } : { type: "payment", amountCents, currency };
}

/** The service byte of a 06-20; 0 where there is none. */
export function readRepeatReceipt(data: Uint8Array): { status: boolean; slip: boolean } {
  // Some registers send a password first.
  const fields = readFields(data) ?? readFields(data.subarray(3)) ?? [];
  const service = fieldOf(fields, 0x03)?.[0] ?? 0;
  return { status: (service & 0x01) !== 0, slip: (service & 0x02) === 0 };
}

/** Whether a 06-23 asks for the open pre-authorizations. */
export function isOpenPreAuthorizationsEnquiry(data: Uint8Array): boolean {
  return fieldOf(readFields(data) ?? [], 0x87)?.every((byte) => byte === 0xff) ?? false;
}

function has(fields: readonly Field[], tags: readonly number[]): boolean {
  return fields.some(({ tag }) => tags.includes(tag));
}
