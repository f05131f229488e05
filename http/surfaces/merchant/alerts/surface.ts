import type { Caller } from "../../../../engine/access/caller.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { AlertRecord } from "../../../../engine/alerts/alert.ts";
import type { Alerts } from "../../../../engine/alerts/alerts.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { LocalTime } from "../../parts/time.ts";
import { actorContext } from "../actor-names.ts";
import { oneOf } from "../resource-endpoints.ts";
import { merchantSurface } from "../surface.ts";
import { alert } from "./schemas.ts";

export interface AlertOperations {
  alerts: Alerts;
  /** The people who requested refunds. */
  users: Pick<Users, "list">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const alerts = merchantSurface<AlertOperations>();

export const alertContext = (operations: AlertOperations, caller: Caller, records: readonly AlertRecord[]) =>
  actorContext(
    operations,
    caller,
    records.flatMap(({ refund }) => (refund === null || refund.by.type === "rule" ? [] : [refund.by])),
  );

export const oneAlert = oneOf(alerts, {
  noun: "alert",
  path: "/alerts",
  idParameter: { parameterName: "AlertId", description: "`al_...`" },
  resource: alert,
  find: ({ alerts: ofMerchant }, owner, id) => ofMerchant.find(owner, id),
  context: alertContext,
});

/** Another request may still be processing this refund. */
const RETRY_AFTER_SECONDS = 3;

/**
 * A response with Retry-After is not stored for its idempotency key, so a repetition learns the
 * outcome.
 */
export function outcomeUnknown(): RelayError {
  return new RelayError("conflict", "The outcome of the refund is not known yet: repeat the same request to learn it", {
    ...{ detail: "outcome_unknown", retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
