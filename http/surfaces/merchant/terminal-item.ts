import { Type } from "@sinclair/typebox";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import type { MerchantTerminal } from "../../../engine/settings/merchant-terminals.ts";
import { iso } from "../../endpoint/time.ts";
import type { ReadOperations } from "./reads.ts";
import type { TerminalItemJson } from "./terminal-schemas.ts";
import { ITEM_EXAMPLE, itemOf } from "./transaction-item.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * Rounds the last heartbeat of a connected terminal to the minute and the start of its connection
 * to the second. Otherwise each heartbeat would change the response although nothing has happened,
 * and the clock of the terminal's home differs from the wall clock by a millisecond now and then.
 */
export function terminalItemOf({ view, group }: MerchantTerminal, last: MerchantTransaction | undefined): TerminalItemJson {
  const { terminalId, connectionStatus, connectionType, connectedSinceMs, lastActivityMs, lastSeenMs, device } = view;
  const seenMs = lastActivityMs === undefined ? lastSeenMs : wholly(lastActivityMs, MINUTE_MS);
  return {
    terminalId,
    connectionStatus,
    connectionType: connectionType ?? null,
    connectedSince: timeOf(connectedSinceMs === undefined ? undefined : wholly(connectedSinceMs, SECOND_MS)),
    lastSeen: timeOf(seenMs),
    model: device.deviceModel ?? null,
    appVersion: device.appVersion ?? null,
    group,
    lastResult: last === undefined ? null : itemOf(last),
  };
}

function wholly(atMs: number, unitMs: number): number {
  return atMs - (atMs % unitMs);
}

function timeOf(atMs: number | undefined): string | null {
  return atMs === undefined ? null : iso(atMs);
}

/** The status of terminals does not wait longer than this for their last results. */
const RESULTS_WITHIN_MS = 2_000;

/** Returns the last result of each terminal, or null if ClickHouse is unavailable or slow. */
export function latestResults(
  { merchantTransactions, timers }: Pick<ReadOperations, "merchantTransactions" | "timers">,
  merchantId: string,
  gone: AbortSignal,
): Promise<ReadonlyMap<string, MerchantTransaction> | null> {
  return new Promise((resolve) => {
    const timer = timers.set(RESULTS_WITHIN_MS, () => resolve(null));
    merchantTransactions
      .latestByTerminal(merchantId, gone)
      .catch(() => null)
      .then((results) => {
        timer.clear();
        resolve(results);
      });
  });
}

export const TERMINAL_EXAMPLE: TerminalItemJson = {
  terminalId: "SIM00001",
  connectionStatus: "ONLINE",
  connectionType: "WEBSOCKET",
  connectedSince: "2026-11-25T08:00:00.000Z",
  lastSeen: "2026-11-25T10:00:00.000Z",
  model: "A920",
  appVersion: "1.4.2",
  group: "front desk",
  lastResult: ITEM_EXAMPLE,
};

export const IF_NONE_MATCH = Type.Object({
  "if-none-match": Type.Optional(Type.String({ maxLength: 1_024, description: "The response is 304 if this ETag still matches." })),
});
export const ETAG_HEADERS = { ETag: { description: "ETag of the body without `asOf`." } };
