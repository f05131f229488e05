import { Type } from "@sinclair/typebox";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { Alerts } from "../../../../engine/alerts/alerts.ts";
import type { DisputeBoard } from "../../../../engine/cases/case-list.ts";
import type { Disputes, NotAnswerable } from "../../../../engine/disputes/disputes.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { MerchantTransactions } from "../../../../engine/payments/merchant-transactions.ts";
import type { LocalTime } from "../../parts/time.ts";
import { refusal } from "../envelope.ts";
import { merchantSurface } from "../surface.ts";

/** What the endpoints of disputes use. */
export interface DisputeOperations {
  disputes: Omit<Disputes, "list">;
  disputeBoard: DisputeBoard;
  alerts: Pick<Alerts, "stats">;
  /** Of responses that people submitted, who they are. */
  users: Pick<Users, "list">;
  merchantTransactions: Pick<MerchantTransactions, "sums">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const disputes = merchantSurface<DisputeOperations>();

export const DisputeParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, parameterName: "DisputeId", description: "`dp_...`" }),
});
export const EvidenceParams = Type.Object({
  ...DisputeParams.properties,
  fileId: Type.String({ minLength: 1, maxLength: 64, parameterName: "EvidenceFileId", description: "`dpf_...`" }),
});

/** The one answer for what is not there, is another merchant's, or is of the other environment. */
export function noSuchDispute(): RelayError {
  return new RelayError("not_found", "There is no such dispute");
}

export function noSuchFile(): RelayError {
  return new RelayError("not_found", "There is no such file");
}

export const NOT_ANSWERABLE = "It is not to be answered (not_open), or nobody did so in time (deadline_passed)";

export function notAnswerable({ type, dispute }: NotAnswerable) {
  return type === "deadline_passed"
    ? refusal(409, "deadline_passed", "The time to answer it is over")
    : refusal(409, "not_open", `The dispute is ${dispute.state}: it cannot be answered now`);
}
