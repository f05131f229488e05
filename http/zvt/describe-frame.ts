import { maskPans } from "../../engine/kernel/mask.ts";
import { decodeCodePage437 } from "./code-page-437.ts";
import { COMMANDS } from "./codes.ts";
import { readFields } from "./fields.ts";
import type { Frame } from "./frame.ts";

/** Card number, tracks, chip data, card verification value, expiry, password and PIN data: their length only. */
const SECRET = new Set([0x0e, 0x22, 0x23, 0x24, 0x2d, 0x2e, 0x3a, 0x3d, 0xa7, 0xd1]);

/** Texts, which may hold anything; card numbers in them are masked. */
const TEXT = new Set([0x3c, 0x8b, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8]);

/** Lists without a known form, and TLV containers, which may hold card data: their length only. */
const LENGTH_ONLY = new Set([0x06, 0x60, 0x9a, 0xaf]);

/** What is not here begins with a password, or may (06-20), or is not spoken: only its length is said, since a password can look like a bitmap. */
const HEAD_OF_COMMAND: { readonly [command: number]: readonly { name: string; bytes: number }[] } = {
  [COMMANDS.registration]: [
    { name: "password", bytes: 3 },
    { name: "config", bytes: 1 },
  ],
  [COMMANDS.authorization]: [],
  [COMMANDS.logOff]: [],
  [COMMANDS.partialReversal]: [],
  [COMMANDS.abortPayment]: [],
  [COMMANDS.displayText]: [],
  [COMMANDS.statusInformation]: [],
  [COMMANDS.abort]: [{ name: "code", bytes: 1 }],
  [COMMANDS.intermediateStatus]: [{ name: "status", bytes: 1 }],
};

/**
 * A frame for the log, without card data, passwords and the texts of slips. Of what cannot be parsed, and of commands that are not spoken here, only the length is
 * said.
 */
export function describeFrame({ command, data }: Frame): string {
  const name = command.toString(16).padStart(4, "0");
  if (data.length === 0) return name;
  const head = HEAD_OF_COMMAND[command];
  const described = head === undefined ? null : describeData(data, command, head);
  return `${name} ${described ?? `(${data.length} bytes)`}`;
}

function describeData(data: Uint8Array, command: number, head: readonly { name: string; bytes: number }[]): string | null {
  const parts: string[] = [];
  let at = 0;
  for (const { name, bytes } of head) {
    if (at + bytes > data.length) return null;
    parts.push(`${name}=${name === "password" ? "****" : hex(data.subarray(at, at + bytes))}`);
    at += bytes;
  }
  if (command === COMMANDS.registration && data.length >= at + 2) {
    parts.push(`currency=${hex(data.subarray(at, at + 2))}`);
    at += 2;
  }
  const fields = readFields(data.subarray(at));
  if (fields === null) return null;
  return [...parts, ...fields.map(({ tag, value }) => `${tag.toString(16).padStart(2, "0")}=${describeValue(tag, value)}`)].join(" ");
}

function describeValue(tag: number, value: Uint8Array): string {
  if (SECRET.has(tag)) return "****";
  if (LENGTH_ONLY.has(tag)) return `(${value.length} bytes)`;
  if (TEXT.has(tag)) return JSON.stringify(maskPans(decodeCodePage437(value)));
  return hex(value);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
