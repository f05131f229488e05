import { Type } from "@sinclair/typebox";
import { contentDisposition } from "../../parts/content-disposition.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { ok } from "../envelope.ts";
import { AdminDisputeDetail, AdminDisputePage, DISPUTE_EXAMPLE, DisputeState, detailJson, disputeJson } from "./feed-json.ts";
import { adminOfDisputes as admin, disputeOf, FED_MERCHANT, FeedDisputeParams, noSuchDispute, PAGE, partyOf } from "./surface.ts";

export const listFedDisputes = admin.endpoint({
  name: "adminListDisputes",
  method: "GET",
  path: "/admin/disputes",
  summary: "List the disputes of a merchant",
  description:
    "In the environment that the merchant has now; the newest first, or with `order=due` those that are to be answered, the most urgent first. Without anything that the merchant wrote.",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    merchantId: FED_MERCHANT,
    status: Type.Optional(DisputeState),
    order: Type.Optional(Type.Union([Type.Literal("newest"), Type.Literal("due")])),
    ...PAGE,
  }),
  responses: {
    200: {
      description: "A page.",
      body: okBody(AdminDisputePage),
      example: { status: "ok", data: { items: [DISPUTE_EXAMPLE], next: null } },
    },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async (operations, { query }) => {
    const { status: state = null, order = "newest", limit, cursor = null } = query;
    const party = await partyOf(operations, query.merchantId);
    const all = { fromMs: null, beforeMs: null, dueBeforeMs: null, stage: null, category: null, terminalId: null, q: null };
    const { items, next } = await operations.disputes.list(party, { ...all, state, order, limit, cursor });
    return { status: 200, body: ok({ items: items.map(disputeJson), next }) };
  },
});

export const showFedDispute = admin.endpoint({
  name: "adminShowDispute",
  method: "GET",
  path: "/admin/disputes/{id}",
  summary: "Get a dispute of a merchant",
  description: "With what its merchant has submitted, for whoever brings it to the network; not with what it prepares.",
  auth: "admin",
  role: "operator",
  machine: "disputes",
  params: FeedDisputeParams,
  responses: {
    200: {
      description: "The dispute.",
      body: okBody(AdminDisputeDetail),
      example: { status: "ok", data: { ...DISPUTE_EXAMPLE, responses: [], outcome: null } },
    },
    ...admin.errors(400, 401, 403, 404, 503),
  },
  handle: async (operations, { params }) => {
    const dispute = await disputeOf(operations, params.id);
    return { status: 200, body: ok(detailJson(dispute)) };
  },
});

export const readFedEvidence = admin.endpoint({
  name: "adminReadEvidence",
  method: "GET",
  path: "/admin/disputes/{id}/evidence/{fileId}",
  summary: "Download a file that was submitted",
  description: "As an attachment. Of responses only: what a merchant prepares is its own.",
  auth: "admin",
  role: "operator",
  machine: "disputes",
  params: Type.Object({
    ...FeedDisputeParams.properties,
    fileId: Type.String({ minLength: 1, maxLength: 64, parameterName: "EvidenceFileId", description: "`dpf_...`" }),
  }),
  responses: {
    200: {
      description: "The file.",
      stream: true,
      contentType: "application/octet-stream",
      headers: {
        "Content-Disposition": { description: "`attachment`, with the file's name." },
        "Content-Security-Policy": { description: "`sandbox`." },
      },
    },
    ...admin.errors(400, 401, 403, 404, 503),
  },
  handle: async (operations, { params }) => {
    const dispute = await disputeOf(operations, params.id);
    const isSubmitted = dispute.submissions.some(({ fileIds }) => fileIds.includes(params.fileId));
    const contents = isSubmitted ? await operations.disputes.readFile(dispute, params.id, params.fileId) : null;
    if (contents === null) throw noSuchDispute();
    return { status: 200, stream: contents.pieces(), headers: contentDisposition(contents.file.name) };
  },
});
