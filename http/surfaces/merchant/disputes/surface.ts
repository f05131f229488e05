import { Type } from "@sinclair/typebox";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { Alerts } from "../../../../engine/alerts/alerts.ts";
import type { DisputeBoard } from "../../../../engine/cases/case-list.ts";
import type { Disputes, NotAnswerable } from "../../../../engine/disputes/disputes.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { MerchantTransactions } from "../../../../engine/payments/merchant-transactions.ts";
import type { LocalTime } from "../../parts/time.ts";
import { actorContext } from "../actor-names.ts";
import { refusal } from "../envelope.ts";
import { oneOf } from "../resource-endpoints.ts";
import { merchantSurface } from "../surface.ts";
import { dispute } from "./schemas.ts";

export interface DisputeOperations {
  disputes: Omit<Disputes, "list">;
  disputeBoard: DisputeBoard;
  alerts: Pick<Alerts, "stats">;
  /** The people who submitted responses. */
  users: Pick<Users, "list">;
  merchantTransactions: Pick<MerchantTransactions, "sums">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const disputes = merchantSurface<DisputeOperations>();

export const oneDispute = oneOf(disputes, {
  noun: "dispute",
  path: "/disputes",
  idParameter: { parameterName: "DisputeId", description: "`dp_...`" },
  resource: dispute,
  find: ({ disputes: ofMerchant }, owner, id) => ofMerchant.find(owner, id),
  context: (operations, caller, records) =>
    actorContext(
      operations,
      caller,
      records.flatMap(({ submissions }) => submissions.map(({ by }) => by)),
    ),
});

export const EvidenceParams = Type.Object({
  ...oneDispute.params.properties,
  fileId: Type.String({ minLength: 1, maxLength: 64, parameterName: "EvidenceFileId", description: "`dpf_...`" }),
});

export function noSuchFile(): RelayError {
  return new RelayError("not_found", "There is no such file");
}

export const NOT_ANSWERABLE =
  "`not_open`: the dispute does not need a response at the moment. `deadline_passed`: the deadline for a response has passed";

export function notAnswerable({ type, dispute }: NotAnswerable) {
  return type === "deadline_passed"
    ? refusal(409, "deadline_passed", "The deadline for a response has passed")
    : refusal(409, "not_open", `The dispute is ${dispute.state} and cannot be answered now`);
}
