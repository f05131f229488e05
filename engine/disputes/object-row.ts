import { NOTHING_ELSE, type ObjectRow, objectVersion } from "../payments/object-row.ts";
import type { DisputeRecord } from "./dispute.ts";

/** A network may reverse its verdict, so no state ranks above another. */
export function disputeRow(record: DisputeRecord): ObjectRow {
  const { id, merchantId, livemode, createdAtMs, updatedAtMs, state, category, amountMinor, currency, uuid, alertId, respondByMs } = record;
  return {
    ...NOTHING_ELSE,
    ...{
      type: "object",
      version: objectVersion(false, updatedAtMs),
      merchantId,
      livemode,
      object: "dispute",
      id,
      createdAtMs,
      state,
      category,
    },
    ...{ reason: outcomeOf(record), amountMinor, currency, uuid: uuid ?? "", parent: alertId ?? "", dueAtMs: respondByMs },
    endedAtMs: endedAtMs(record),
  };
}

function outcomeOf({ outcome }: DisputeRecord): string {
  if (outcome === null) return "";
  return outcome.by === "accepted" ? "accepted" : outcome.result.toLowerCase();
}

function endedAtMs({ state, outcome, respondByMs, submissions }: DisputeRecord): number | null {
  switch (state) {
    case "OPEN":
    case "EVIDENCE_REQUIRED":
    case "UNDER_REVIEW":
      return null;
    case "WON":
    case "LOST":
      return outcome?.atMs ?? null;
    case "EXPIRED": {
      // Nobody responded in time, or the response was rejected too late for another one.
      const last = submissions.at(-1);
      return last?.respondByMs === respondByMs ? Math.max(respondByMs, last.endedAtMs ?? 0) : respondByMs;
    }
  }
}
