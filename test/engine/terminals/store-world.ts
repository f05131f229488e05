import type { Command } from "../../../engine/payments/command.ts";
import type { CommandRecord, StoredResult } from "../../../engine/terminals/terminal-record.ts";
import { START_MS, transactionRow } from "../../storage/feed/feed-world.ts";

/** A payment as it was accepted from partner 1 for T1. */
export function acceptedCommand(uuid: string, members: Partial<Command> = {}): Command {
  return {
    uuid,
    terminalId: "T1",
    kind: "payment",
    service: "PAYCC",
    amountCents: 1_234,
    method: "CARD",
    sender: "partner:1",
    acceptedAtMs: START_MS,
    expiresAtMs: START_MS + 60_000,
    payload: `{"uuid":"${uuid}","amount":1234}`,
    ...members,
  };
}

/** Its record, while it has neither ended nor a result. */
export function commandRecord(uuid: string, members: Partial<CommandRecord> = {}): CommandRecord {
  return { revision: 3, uuid, terminalId: "T1", command: acceptedCommand(uuid), life: null, result: null, ...members };
}

export function storedResult(uuid: string, raw: string | null): StoredResult {
  return { transaction: transactionRow({ uuid, terminalId: "T1" }).transaction, raw, postedBy: "T1", amountDiffers: false };
}
