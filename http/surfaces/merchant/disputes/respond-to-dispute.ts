import { DISPUTE_SUBMISSIONS_MAX } from "../../../../engine/disputes/dispute.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { actorOf } from "../actor-names.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { DISPUTE_EXAMPLE, disputeJson } from "./dispute-json.ts";
import { Dispute, RespondToDispute } from "./schemas.ts";
import { DisputeParams, disputes, NOT_ANSWERABLE, noSuchDispute, notAnswerable } from "./surface.ts";

/** That of a draft, and the ids of files. */
const BODY_BYTES_MAX = 393_216;

export const respondToDispute = disputes.endpoint({
  name: "respondToDispute",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/disputes/{id}/respond`,
  summary: "Send a response to a dispute",
  description:
    "Once, and for good: CHALLENGE submits a statement or at least one file and freezes them, ACCEPT accepts liability and loses the dispute. An answer 200 means that it is stored; the network is given it afterwards, as `responses` says.",
  auth: "merchantUserOrKey",
  may: "operate",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  bodyBytesMax: BODY_BYTES_MAX,
  params: DisputeParams,
  body: RespondToDispute,
  bodyExample: { action: "CHALLENGE", statement: "The parcel was handed over on the 20th." },
  // The answer has what was written.
  idempotency: "sealed",
  audit: { action: "dispute.respond", note: ({ body }) => body.action },
  responses: {
    200: {
      description: "Submitted, or accepted.",
      body: okOf(Dispute),
      example: { status: "ok", data: { ...DISPUTE_EXAMPLE, state: "UNDER_REVIEW", answerable: false } },
    },
    ...disputes.errors(400, 401, 403, 404, 413, 415, 429, 503),
    409: {
      description: `${NOT_ANSWERABLE}. There is neither a statement nor a file (no_evidence), or it was answered ${DISPUTE_SUBMISSIONS_MAX} times (too_many). Or the same \`Idempotency-Key\` was used with another body.`,
      body: disputes.envelope.schema,
    },
  },
  handle: async (operations, { caller, params, body, operationId, request }) => {
    const { action, statement = null, fields = null, fileIds = null } = body;
    const [owner, by, operation] = [merchantOwnerOf(caller), actorOf(caller), { id: operationId, requestId: request.id }];
    if (action === "ACCEPT" && (statement !== null || fields !== null || fileIds !== null)) {
      throw new RelayError("invalid_request", "action: ACCEPT submits nothing; leave statement, fields and fileIds out");
    }
    const outcome =
      action === "ACCEPT"
        ? await operations.disputes.accept(owner, params.id, by, operation)
        : await operations.disputes.challenge(owner, params.id, { statement, fields, fileIds }, by, operation);
    if (outcome === null) throw noSuchDispute();
    switch (outcome.type) {
      case "not_open":
      case "deadline_passed":
        return notAnswerable({ type: outcome.type, dispute: outcome.dispute });
      case "no_evidence":
        return refusal(409, "no_evidence", "A response needs a statement or at least one file");
      case "too_many":
        return refusal(409, "too_many", `The dispute was answered ${DISPUTE_SUBMISSIONS_MAX} times`);
      case "submitted":
      case "accepted":
        return { status: 200, body: ok(await disputeJson(operations, caller, outcome.dispute)) };
    }
  },
});
