import { hashOf } from "../kernel/hash.ts";
import { hasUuidForm } from "../kernel/identifiers.ts";
import type { Stored } from "../kernel/stored.ts";
import { wellFormedValue } from "../kernel/well-formed.ts";
import type { AttentionItem } from "../payments/attention.ts";
import { type Command, notBefore, withoutPayload } from "../payments/command.ts";
import type { EndedLife, LifeRow, TerminalRow, TransactionRow } from "../payments/feed-row.ts";
import { amountDiffers, currencyDiffers, currencyUnknown, sameResult, toTransaction } from "../payments/result.ts";
import { rowVersion } from "../payments/row-version.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { TerminalEvent } from "./events.ts";
import type { CommandLife, CommandRecord, StoredResult } from "./terminal-record.ts";
import type { ResultPosting } from "./terminals.ts";

/** A posting with its uuid as the command's sender wrote it, whatever the terminal makes of capitals and small letters. What was posted (`raw`) stays. */
export function asSent(posting: ResultPosting, stored: CommandRecord | null): ResultPosting {
  if (stored === null || stored.uuid === posting.result.uuid) return posting;
  return { ...posting, result: { ...posting.result, uuid: stored.uuid } };
}

/** What a posting means, given what is stored under its uuid. Pure. */
export type ResultDecision =
  | { type: "repeated" }
  | { type: "conflict"; attention: AttentionItem; row: TerminalRow }
  | { type: "record"; result: StoredResult; unsolicited: boolean };

/** What is administered of a terminal that posts. */
export interface Administered {
  /** Takes the place of the merchant that the terminal tells, and has no part in what makes two results the same; null for none. */
  merchantId: string | null;
  /** The merchant whose a result is that no command says it of; null for none. */
  shop: string | null;
  /** The currency that the terminal is configured for; null for none. */
  currency: string | null;
}

/** Classifies a posting (ARCHITECTURE.md, promise 4): the first result of a uuid stands, whatever comes after it. */
export function classifyResult(
  posting: ResultPosting,
  stored: CommandRecord | null,
  atMs: number,
  { merchantId, shop, currency }: Administered,
): ResultDecision {
  const { terminalId, result } = posting;
  const foreign = stored !== null && stored.terminalId !== terminalId;
  const command = foreign ? null : (stored?.command ?? null);
  // What is configured later changes nothing of a result that is stored, and that the terminal posts again.
  const usual = foreign ? currency : (stored?.result?.transaction.currency ?? currency);
  const transaction = toTransaction(result, { terminalId, createdAtMs: atMs, command, currency: usual });
  if (foreign) return conflict(posting, atMs, "The terminal posted a result for a uuid of another terminal");
  if (stored !== null && stored.result !== null) {
    const told = asTold(stored.result);
    // What was stored before texts were made well-formed at the door is compared as it would be stored now.
    if (sameResult(told, transaction) || sameResult(wellFormedValue(told), transaction)) return { type: "repeated" };
    return conflict(posting, atMs, "A second, different result arrived; the first one counts");
  }
  // Only a payment has an amount to differ from: the answer to a CANCEL may name that of its target.
  const differs = command?.kind === "payment" && amountDiffers(result, command);
  const kept = { ...assigned(transaction, merchantId), raw: result.raw, postedBy: posting.postedBy, amountDiffers: differs };
  return {
    type: "record",
    result: shop === null || (command !== null && command.shop !== undefined) ? kept : { ...kept, shop },
    unsolicited: command === null,
  };
}

function assigned(transaction: Transaction, merchantId: string | null): Pick<StoredResult, "transaction" | "toldMerchantId"> {
  if (merchantId === null || merchantId === transaction.merchantId) return { transaction };
  return { transaction: { ...transaction, merchantId }, toldMerchantId: transaction.merchantId ?? null };
}

function asTold({ transaction, toldMerchantId }: StoredResult): Transaction {
  if (toldMerchantId === undefined) return transaction;
  const { merchantId: _, ...told } = transaction;
  return toldMerchantId === null ? told : { ...told, merchantId: toldMerchantId };
}

function conflict(posting: ResultPosting, atMs: number, detail: string): ResultDecision {
  const { terminalId, postedBy, result } = posting;
  const { uuid, raw } = result;
  return {
    type: "conflict",
    attention: { kind: "conflict", terminalId, uuid, atMs, detail, raw },
    // The same conflicting text again is the same conflict: its id comes from what was posted.
    row: {
      type: "conflict",
      id: `${terminalId}-${uuid}-${hashOf(inWritingOf(uuid, raw)).toString(16)}`,
      uuid,
      terminalId,
      postedBy,
      atMs,
      raw,
    },
  };
}

/** The text with this uuid written everywhere as it is here. */
function inWritingOf(uuid: string, text: string): string {
  return hasUuidForm(uuid) ? text.replace(new RegExp(uuid, "gi"), uuid) : text;
}

/** The record of a command with its result: a late result wins over every earlier end (ARCHITECTURE.md, promise 4). */
export function withResult(stored: CommandRecord | null, posting: ResultPosting, result: StoredResult, life: CommandLife): CommandRecord {
  return {
    revision: (stored?.revision ?? 0) + 1,
    uuid: posting.result.uuid,
    ...(stored?.place === undefined ? {} : { place: stored.place }),
    terminalId: posting.terminalId,
    command: withoutPayload(stored?.command ?? null),
    life,
    result,
  };
}

/** The record of a command that ended without a result. */
export function withLife(record: CommandRecord, life: CommandLife): CommandRecord {
  return { ...record, revision: record.revision + 1, command: withoutPayload(record.command), life };
}

/** Rows for ClickHouse of a record as it now stands: one for a result and the end of its command. */
export function rowsOf(record: CommandRecord): TerminalRow[] {
  const { command, life, result, revision, terminalId } = record;
  const version = rowVersion(life?.state ?? "done", revision);
  const shop = command?.shop ?? result?.shop ?? null;
  const ended = command === null || life === null ? null : endedLife(command, life);
  const rows: TerminalRow[] = [];
  // A record that was taken back may have them in different letters; each row keeps its own.
  const isOne = result !== null && result.transaction.uuid === command?.uuid;
  if (result !== null) {
    const row: TransactionRow = {
      type: "transaction",
      version,
      transaction: { ...result.transaction, terminalId },
      kind: command?.kind ?? null,
      sender: command?.sender ?? "",
      unsolicited: command === null,
      amountDiffers: result.amountDiffers,
    };
    if (isOne && ended !== null) row.life = ended;
    if (shop !== null) row.shop = shop;
    rows.push(row);
  }
  if (command !== null && ended !== null && !isOne) {
    const { uuid, kind, sender } = command;
    const row: LifeRow = { type: "life", version, uuid, terminalId, kind, sender, ...ended };
    if (shop !== null) row.shop = shop;
    rows.push(row);
  }
  return rows;
}

function endedLife({ service, amountCents, acceptedAtMs }: Command, life: CommandLife): EndedLife {
  const { state, sentAtMs, finishedAtMs, channel, attempts: attempt } = life;
  return { service, amountCents, state, acceptedAtMs, sentAtMs, finishedAtMs, channel, attempt };
}

/** What of a newly recorded result an operator has to know. */
export function attentionOf(record: CommandRecord, before: CommandLife | null, atMs: number): AttentionItem[] {
  const { terminalId, uuid, result } = record;
  const item = (kind: AttentionItem["kind"], detail: string): AttentionItem => ({ kind, terminalId, uuid, atMs, detail, raw: null });
  const items: AttentionItem[] = [];
  if (record.command === null) items.push(item("unsolicited", "A result arrived for a uuid that no command has"));
  if (result?.amountDiffers === true) {
    const what = currencyDiffers(result.transaction, record.command) ? "currency" : "amount";
    items.push(item("amount_differs", `The result's ${what} differs from its command's`));
  }
  if (result !== null && hasMoney(record) && currencyUnknown(result.transaction)) {
    items.push(item("currency_unknown", "The result's currency is not a known one; it is stored as received"));
  }
  if (before !== null && (before.state === "expired" || before.state === "cancelled")) {
    items.push(item("late", `A result arrived after the command was shown as ${before.state}`));
  }
  return items;
}

/** The answer to a CANCEL or to an administrator's command moves no money. */
function hasMoney({ command }: CommandRecord): boolean {
  return command === null || command.kind === "payment";
}

export function recordedEvent(posting: ResultPosting, told: { unsolicited: boolean; cancels: string | null; atMs: number }): TerminalEvent {
  const { uuid, status } = posting.result;
  return { type: "result.recorded", uuid, status, ...told };
}

/** A CANCEL answered OK settles a target that time alone had already made `unknown`. */
export function cancelledAfterUnknown(target: Stored<CommandRecord> | null, atMs: number): Stored<CommandRecord> | null {
  if (target === null || target.record.life?.state !== "unknown" || target.record.result !== null) return null;
  const life: CommandLife = { ...target.record.life, state: "cancelled", finishedAtMs: notBefore(atMs, target.record.life.finishedAtMs) };
  return { record: withLife(target.record, life), version: target.version };
}
