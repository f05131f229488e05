import { NOTHING_ELSE, type ObjectRow, objectVersion } from "../payments/object-row.ts";
import type { AlertRecord } from "./alert.ts";

export function alertRow(record: AlertRecord): ObjectRow {
  const { id, merchantId, livemode, createdAtMs, updatedAtMs, state, source, amountMinor, currency, uuid, respondByMs } = record;
  const version = objectVersion(state === "REFUNDED" || state === "PREVENTED", updatedAtMs);
  return {
    ...NOTHING_ELSE,
    ...{ type: "object", version, merchantId, livemode, object: "alert", id, createdAtMs, state, category: source },
    ...{ amountMinor, currency, uuid: uuid ?? "", dueAtMs: respondByMs, ...endOf(record) },
  };
}

function endOf({ state, end, refund }: AlertRecord): Pick<ObjectRow, "reason" | "endedAtMs"> {
  switch (state) {
    case "PENDING":
    case "AUTO_REFUND":
      return { reason: "", endedAtMs: null };
    case "REFUNDED":
      return { reason: refund?.by.type === "rule" ? "rule" : "merchant", endedAtMs: refund?.endedAtMs ?? null };
    case "DECLINED":
    case "PREVENTED":
      return { reason: end?.by ?? "", endedAtMs: end?.atMs ?? null };
  }
}
