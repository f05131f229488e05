/** The wire as a cash register sees it. Written apart from the relay's own (http/zvt): where both agree, both have read the protocol alike. */

export interface Apdu {
  /** Class and instruction as four hexadecimal digits in capitals: `060F`. */
  command: string;
  data: Buffer;
}

/** A frame: class, instruction, one byte of length; or FF, and the length in two bytes, the low one first. */
export function pack(command: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.from(command, "hex");
  if (data.length < 255) return Buffer.concat([head, Buffer.from([data.length]), data]);
  const length = Buffer.alloc(3, 0xff);
  length.writeUInt16LE(data.length, 1);
  return Buffer.concat([head, length, data]);
}

/** The first frame of these bytes and what follows it, or null where it is not whole yet. */
export function unpack(bytes: Buffer): { apdu: Apdu; rest: Buffer } | null {
  if (bytes.length < 3) return null;
  const short = bytes.readUInt8(2);
  if (short === 0xff && bytes.length < 5) return null;
  const start = short === 0xff ? 5 : 3;
  const end = start + (short === 0xff ? bytes.readUInt16LE(3) : short);
  if (bytes.length < end) return null;
  return { apdu: { command: bytes.toString("hex", 0, 2).toUpperCase(), data: bytes.subarray(start, end) }, rest: bytes.subarray(end) };
}

/** Digits, two a byte, filled up with zeros on the left. */
export function packed(digits: string, byteLength: number): Buffer {
  return Buffer.from(digits.padStart(byteLength * 2, "0"), "hex");
}

export function registration(password: string, config: number, currency: string): Buffer {
  return pack("0600", Buffer.concat([packed(password, 3), Buffer.from([config]), packed(currency, 2)]));
}

export function authorization(amountCents: number, currency: string): Buffer {
  return pack("0601", Buffer.concat([Buffer.from([0x04]), packed(String(amountCents), 6), Buffer.from([0x49]), packed(currency, 2)]));
}

/** What a register prints of a 04-0F. */
export interface Result {
  code: number;
  amountCents: number | null;
  trace: string | null;
  receiptNo: string | null;
  terminalId: string | null;
  card: string | null;
  cardName: string | null;
  authCode: string | null;
  text: string | null;
}

const FIXED: { readonly [bitmap: string]: number } = {
  ...{ "01": 1, "02": 1, "03": 1, "04": 6, "05": 1, "0B": 3, "0C": 3, "0D": 2, "0E": 2, "17": 2, "19": 1, "27": 1, "29": 4, "2A": 15 },
  ...{ "37": 3, "3B": 8, "49": 2, "87": 2, "88": 3, "8A": 1, "8C": 1, A0: 1, AA: 3, BA: 5 },
};
const TWO_DIGITS = ["22", "23", "2D", "8B", "A7"];
const THREE_DIGITS = ["24", "2E", "3C", "60"];

/** Reads a 04-0F as far as its bitmaps are known; the rest is left. */
export function readResult(data: Buffer): Result | null {
  const values = new Map<string, Buffer>();
  let rest = data;
  while (rest.length > 0) {
    const bitmap = rest.toString("hex", 0, 1).toUpperCase();
    const digits = TWO_DIGITS.includes(bitmap) ? 2 : THREE_DIGITS.includes(bitmap) ? 3 : 0;
    const length = digits === 0 ? FIXED[bitmap] : lengthOf(rest.subarray(1, 1 + digits));
    if (length === undefined || rest.length < 1 + digits + length) break;
    values.set(bitmap, rest.subarray(1 + digits, 1 + digits + length));
    rest = rest.subarray(1 + digits + length);
  }
  const code = values.get("27")?.[0];
  if (code === undefined) return null;
  const hex = (bitmap: string) => values.get(bitmap)?.toString("hex").toUpperCase() ?? null;
  const text = (bitmap: string) => values.get(bitmap)?.toString("latin1").replaceAll("\0", "") ?? null;
  const amount = hex("04");
  return {
    code,
    amountCents: amount === null ? null : Number(amount),
    ...{ trace: hex("0B"), receiptNo: hex("87"), terminalId: hex("29"), card: hex("22")?.replaceAll("E", "*").replace(/F$/, "") ?? null },
    ...{ cardName: text("8B"), authCode: text("3B"), text: text("3C") },
  };
}

/** `F1 F2` is 12. */
function lengthOf(bytes: Buffer): number | undefined {
  const hex = bytes.toString("hex").toUpperCase();
  return /^(?:F\d)+$/.test(hex) ? Number(hex.replaceAll("F", "")) : undefined;
}
