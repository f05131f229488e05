import type { AlertRecord } from "../../../../engine/alerts/alert.ts";
import { iso } from "../../../endpoint/time.ts";

/** An alert as the events `alert.*` have it, frozen when they happen. Nothing of what was written, nor of who wrote it. */
export function alertObject(alert: AlertRecord): object {
  const { id, livemode, state, source, networkRef, category, uuid, terminalId, method, amountMinor, currency, respondByMs } = alert;
  const { rule, refund, end, createdAtMs } = alert;
  return {
    id,
    object: "alert",
    environment: livemode ? "LIVE" : "TEST",
    ...{ state, source, networkRef, category, uuid, terminalId, method, amountMinor, currency },
    respondBy: iso(respondByMs),
    rule,
    refund: refund === null ? null : { state: refund.state, moved: refund.moved, requestedAt: iso(refund.requestedAtMs) },
    end: end === null ? null : { by: end.by, at: iso(end.atMs) },
    createdAt: iso(createdAtMs),
  };
}
