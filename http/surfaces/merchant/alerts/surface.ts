import { Type } from "@sinclair/typebox";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { Alerts } from "../../../../engine/alerts/alerts.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { LocalTime } from "../../parts/time.ts";
import { merchantSurface } from "../surface.ts";

/** What the endpoints of alerts use. */
export interface AlertOperations {
  alerts: Alerts;
  /** Of what people did, who they are. */
  users: Pick<Users, "list">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const alerts = merchantSurface<AlertOperations>();

export const AlertParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, parameterName: "AlertId", description: "`al_...`" }),
});

/** The one answer for what is not there, is another merchant's, or is of the other environment. */
export function noSuchAlert(): RelayError {
  return new RelayError("not_found", "There is no such alert");
}

/** Somebody may still be at it. */
const RETRY_AFTER_SECONDS = 3;

/** An answer with a time to retry is not kept for its idempotency key: the same request again is to find out. */
export function outcomeUnknown(): RelayError {
  return new RelayError("conflict", "A refund is under way, and what came of it is not known yet: repeat the same request to find out", {
    ...{ detail: "outcome_unknown", retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
