import { type DisputeRecord, holdsRefunds } from "../../../../engine/disputes/dispute.ts";
import { iso } from "../../../endpoint/time.ts";

/** A dispute as the events `dispute.*` have it, frozen when they happen. Nothing of the evidence, of what was written, nor of who wrote it. */
export function disputeObject(dispute: DisputeRecord): object {
  const { id, livemode, state, stage, category, network, networkCaseId, reasonCode, uuid, terminalId, amountMinor, currency } = dispute;
  const { respondByMs, alertId, submissions, outcome, createdAtMs } = dispute;
  return {
    id,
    object: "dispute",
    environment: livemode ? "LIVE" : "TEST",
    // `state` is what it was called before; receivers that read it go on working.
    ...{ status: state, state, stage, category, network, networkCaseId, reasonCode, uuid, terminalId, amountMinor, currency },
    respondBy: iso(respondByMs),
    holdsRefunds: holdsRefunds(dispute),
    alertId,
    responses: submissions.map((one) => ({ id: one.id, state: one.state, submittedAt: iso(one.submittedAtMs) })),
    outcome: outcome === null ? null : { result: outcome.result, by: outcome.by, at: iso(outcome.atMs) },
    createdAt: iso(createdAtMs),
  };
}
