import { type Command, expiresAtMs, withoutPayload } from "../payments/command.ts";
import type { LifeRow, TransactionRow } from "../payments/feed-row.ts";
import { methodOfService } from "../payments/payment-request.ts";
import { revisionOf, rowVersion } from "../payments/row-version.ts";
import type { CommandLife, CommandRecord, StoredResult } from "./terminal-record.ts";

/** What the feed has carried of a command that ended, or of a result that nobody asked for; one of the two rows at least. */
export interface FedCommand {
  uuid: string;
  terminalId: string;
  life: LifeRow | null;
  result: TransactionRow | null;
}

/**
 * The record of a command as the feed knows it, where that is more than what is stored; null where it is not. Rows do not tell everything: what was sent to
 * the terminal and what it posted are gone, and neither is of use to a command that has ended.
 */
export function takenBack(fed: FedCommand, stored: CommandRecord | null): CommandRecord | null {
  const { uuid, terminalId, result } = fed;
  // The first result stands, and another terminal's claim does.
  if (stored !== null && (stored.result !== null || stored.terminalId !== terminalId)) return null;
  const fedVersion = Math.max(fed.life?.version ?? 0, result?.version ?? 0);
  const storedVersion = stored === null || stored.life === null ? 0 : rowVersion(stored.life.state, stored.revision);
  if (fedVersion <= storedVersion) return null;
  return {
    revision: Math.max(revisionOf(fedVersion), stored?.revision ?? 0),
    ...(stored?.place === undefined ? {} : { place: stored.place }),
    uuid: stored?.uuid ?? uuid,
    terminalId,
    command: withoutPayload(stored?.command ?? commandOf(fed)),
    life: lifeOf(fed),
    result: result === null ? null : resultOf(result),
  };
}

/** When the command was accepted; of a result that nobody asked for, when it came. */
export function fedAtMs({ life, result }: FedCommand): number {
  return life?.acceptedAtMs ?? result?.transaction.createdAtMs ?? 0;
}

/** A result that no command asked for. */
export function isUnsolicited({ life, result }: FedCommand): boolean {
  return (life?.kind ?? result?.kind ?? null) === null;
}

function commandOf(fed: FedCommand): Command | null {
  const { uuid, terminalId, life, result } = fed;
  const kind = life?.kind ?? result?.kind ?? null;
  if (kind === null) return null;
  const service = life?.service ?? "";
  const acceptedAtMs = fedAtMs(fed);
  return {
    uuid,
    terminalId,
    kind,
    service,
    amountCents: life?.amountCents ?? result?.transaction.amountCents ?? 0,
    method: result?.transaction.method ?? methodOfService(service),
    sender: life?.sender ?? result?.sender ?? "",
    acceptedAtMs,
    expiresAtMs: expiresAtMs(acceptedAtMs),
    payload: "",
    shop: life?.shop ?? result?.shop ?? null,
  };
}

function lifeOf({ life, result }: FedCommand): CommandLife {
  const { sentAtMs = null, channel = null, attempt: attempts = 0 } = life ?? {};
  // The tables are filled one after the other, and 0.1.0 sent two rows: its own may be there only later.
  if (result !== null && life?.state !== "done") {
    return { state: "done", sentAtMs, finishedAtMs: result.transaction.createdAtMs, channel, attempts };
  }
  return { state: life?.state ?? "done", sentAtMs, finishedAtMs: life?.finishedAtMs ?? 0, channel, attempts };
}

function resultOf({ transaction, amountDiffers, shop }: TransactionRow): StoredResult {
  const result = { transaction, raw: null, postedBy: transaction.terminalId, amountDiffers };
  return shop === undefined ? result : { ...result, shop };
}
