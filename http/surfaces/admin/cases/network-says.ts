import { Type } from "@sinclair/typebox";
import type { DisputeRecord } from "../../../../engine/disputes/dispute.ts";
import type { Fed } from "../../../../engine/disputes/disputes.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { ok } from "../envelope.ts";
import { AdminDispute, DISPUTE_EXAMPLE, DisputeStage, disputeJson } from "./feed-json.ts";
import { adminOfDisputes as admin, disputeOf, FED_TIME, FeedDisputeParams, noSuchDispute, timeOf } from "./surface.ts";

const said = {
  method: "POST",
  auth: "admin",
  role: "operator",
  machine: "disputes",
  params: FeedDisputeParams,
} as const;

const responses = {
  200: { description: "It stands as the network says.", body: okBody(AdminDispute), example: { status: "ok", data: DISPUTE_EXAMPLE } },
  ...admin.errors(400, 401, 403, 404, 413, 415, 503),
  409: { description: "The dispute does not take it as it stands.", body: admin.envelope.schema },
} as const;

export const requestEvidence = admin.endpoint({
  ...said,
  name: "adminRequestEvidence",
  refusesUnknown: "money",
  path: "/admin/disputes/{id}/evidence-requested",
  summary: "Set a dispute to need evidence",
  description: "Its merchant has to answer (again) until `respondBy`; a dispute that had ended is open again, and holds refunds.",
  body: Type.Object(
    { respondBy: Type.String({ ...FED_TIME, description: "Within 400 days." }), stage: Type.Optional(DisputeStage) },
    { title: "FedEvidenceRequest" },
  ),
  bodyExample: { respondBy: "2026-12-20T10:00:00Z", stage: "PRE_ARBITRATION" },
  audit: { action: "dispute.request-evidence" },
  responses,
  handle: async (operations, { params, body, request }) => {
    const { network, networkCaseId } = await disputeOf(operations, params.id);
    const demand = { respondByMs: timeOf("respondBy", body.respondBy), stage: body.stage ?? null };
    const operation = { id: request.id, requestId: request.id };
    return told(await operations.disputeFeed.evidenceRequested(network, networkCaseId, demand, operation));
  },
});

export const refuseResponse = admin.endpoint({
  ...said,
  name: "adminRefuseResponse",
  path: "/admin/disputes/{id}/refused",
  summary: "Set a response as refused by its network",
  description: "The last one. Its merchant may answer again, while there is time.",
  audit: { action: "dispute.refuse-response" },
  responses,
  handle: async (operations, { params, request }) => {
    const { network, networkCaseId } = await disputeOf(operations, params.id);
    return told(await operations.disputeFeed.refused(network, networkCaseId, { id: request.id, requestId: request.id }));
  },
});

export const decideDispute = admin.endpoint({
  ...said,
  name: "adminDecideDispute",
  refusesUnknown: "money",
  path: "/admin/disputes/{id}/verdict",
  summary: "Set the verdict of a dispute",
  description: "WON gives refunds of the payment free again.",
  body: Type.Object({ result: Type.Union([Type.Literal("WON"), Type.Literal("LOST")]) }, { title: "FedVerdict" }),
  bodyExample: { result: "WON" },
  audit: { action: "dispute.decide", note: ({ body }) => body.result },
  responses,
  handle: async (operations, { params, body, request }) => {
    const { network, networkCaseId } = await disputeOf(operations, params.id);
    const operation = { id: request.id, requestId: request.id };
    return told(await operations.disputeFeed.verdict(network, networkCaseId, body.result, operation));
  },
});

function told(fed: Fed | null) {
  if (fed === null) throw noSuchDispute();
  if (fed.type === "refused") throw notAsItStands(fed.dispute);
  return { status: 200 as const, body: ok(disputeJson(fed.dispute)) };
}

function notAsItStands({ state }: DisputeRecord): RelayError {
  return new RelayError("conflict", `The dispute is ${state}: that cannot be said of it now`);
}
