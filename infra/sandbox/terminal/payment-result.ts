import type { ReceivedCommand } from "./command.ts";
import type { Settings } from "./options.ts";
import type { Scenario } from "./outcomes.ts";
import { readReceivedTags } from "./received-tags.ts";

export type ResultBody = { [member: string]: unknown };

/** The members that every result of this terminal has. */
export function commonMembers({ terminalId }: Settings, atMs: number): ResultBody {
  return { terminalId, timestamp: new Date(atMs).toISOString(), deviceModel: "SIM-1", appVersion: "1.0.0" };
}

/** A payment's result as a terminal app posts it; the same uuid always gives the same numbers. */
export function paymentResult(command: ReceivedCommand, scenario: Scenario, settings: Settings, atMs: number): ResultBody {
  const { uuid, amountCents } = command;
  const { approved, message, actionCode } = scenario;
  const result = approved ? "OK" : scenario.name === "cancelled by the customer" ? "CANCELLED" : "KO";
  const service = serviceOf(command, settings);
  const base = {
    uuid,
    service,
    type: typeOf(command),
    result,
    amount: amountCents,
    currency: command.members["currency"] ?? "EUR",
    message,
    ...commonMembers(settings, atMs),
  };
  const unsupported = service === "VERIFYTAG" && settings.family === "no-tags";
  if (unsupported) return { ...base, result: "KO", message: "NOT SUPPORTED", actionCode: "904" };
  switch (service) {
    case "PAYSAT":
      return { ...base, ...receiptMembers(command, approved, atMs), satispay: satispayMembers(command, approved) };
    case "PAYBP":
      return { ...base, ...receiptMembers(command, approved, atMs), voucher: voucherMembers(command, approved) };
    default:
      return {
        ...base,
        ...receiptMembers(command, approved, atMs),
        ...cardMembers(command, approved, actionCode),
        ...tagMembers(command, settings),
      };
  }
}

/** A family without the tag services executes PAYTAG as PAYCC. */
function serviceOf({ service }: ReceivedCommand, { family }: Settings): string {
  return service === "PAYTAG" && family === "no-tags" ? "PAYCC" : service;
}

function typeOf({ service, members }: ReceivedCommand): string {
  if (members["type"] === "RECEIPT") return "RECEIPT";
  if (service === "PAYSAT") return "SATISPAY";
  return service === "PAYBP" ? "VOUCHER" : "CARD";
}

const CREDIT = [
  { brand: "VISA", maskedPan: "411111******1111" },
  { brand: "MASTERCARD", maskedPan: "550000******0004" },
];
const DEBIT = { brand: "PAGOBANCOMAT", maskedPan: "676770******0006" };
const ENTRIES = ["NFC", "ICC"];

function cardMembers({ uuid, members }: ReceivedCommand, approved: boolean, actionCode: string): ResultBody {
  const number = digest(uuid);
  const debit = members["cardType"] === 1 || (members["cardType"] !== 2 && number % 3 === 0);
  const card = debit ? DEBIT : CREDIT[number % CREDIT.length];
  const entry = ENTRIES[number % ENTRIES.length];
  return { ...card, entry, stan: sixDigits(number), ...(approved ? { authCode: sixDigits(digest(`auth ${uuid}`)) } : {}), actionCode };
}

function tagMembers({ members }: ReceivedCommand, { family }: Settings): ResultBody {
  const tags = readReceivedTags(members, family);
  return Object.keys(tags).length === 0 ? {} : { tags };
}

function satispayMembers({ uuid }: ReceivedCommand, approved: boolean): ResultBody {
  const number = digest(uuid);
  return {
    paymentId: `sim-${number.toString(16)}`,
    status: approved ? "ACCEPTED" : "CANCELED",
    outcome: approved ? "APPROVED" : "DECLINED",
    store: "Sandbox shop",
    codeIdentifier: `S6Y-SIM-${sixDigits(number)}`,
  };
}

function voucherMembers({ uuid, amountCents }: ReceivedCommand, approved: boolean): ResultBody {
  const valueCents = 800;
  const count = approved ? Math.max(1, Math.floor(amountCents / valueCents)) : 0;
  return { issuer: "Sandbox vouchers", count, valueCents, totalCents: count * valueCents, batch: `V${sixDigits(digest(uuid))}` };
}

function receiptMembers({ uuid, amountCents, members }: ReceivedCommand, approved: boolean, atMs: number): ResultBody {
  if (members["type"] !== "RECEIPT" || !approved) return {};
  return {
    receipt: {
      number: `0001-${sixDigits(digest(uuid)).slice(2)}`,
      date: new Date(atMs).toISOString().slice(0, 10),
      totalCents: amountCents,
    },
  };
}

/** FNV-1a. */
function digest(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}

function sixDigits(number: number): string {
  return String(number % 1_000_000).padStart(6, "0");
}
