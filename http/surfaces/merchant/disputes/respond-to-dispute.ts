import { DISPUTE_SUBMISSIONS_MAX } from "../../../../engine/disputes/dispute.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { actorOf } from "../actor-names.ts";
import { refusal } from "../envelope.ts";
import { RespondToDispute } from "./schemas.ts";
import { NOT_ANSWERABLE, notAnswerable, oneDispute } from "./surface.ts";

/** The size of the largest draft and the ids of files. */
const BODY_BYTES_MAX = 393_216;

export const respondToDispute = oneDispute.action({
  name: "respondToDispute",
  refusesUnknown: "money",
  method: "POST",
  path: "/respond",
  summary: "Send a response to a dispute",
  description:
    "CHALLENGE submits a statement, files, or both, and they cannot be changed afterwards. ACCEPT accepts liability, and the dispute is lost. Neither can be undone. Status 200 means that the response is stored. The relay sends it to the network afterwards; `responses` shows the progress.",
  may: "operate",
  stepUp: true,
  bodyBytesMax: BODY_BYTES_MAX,
  body: RespondToDispute,
  bodyExample: { action: "CHALLENGE", statement: "The parcel was handed over on the 20th." },
  // The response contains the texts of the submission.
  idempotency: "sealed",
  audit: { action: "dispute.respond", note: ({ body }) => body.action },
  done: { description: "The response is submitted, or the loss is accepted.", changes: { state: "UNDER_REVIEW", answerable: false } },
  conflict: `${NOT_ANSWERABLE}. \`no_evidence\`: there is neither a statement nor a file. \`too_many\`: the dispute already has ${DISPUTE_SUBMISSIONS_MAX} responses. \`conflict\`: the same \`Idempotency-Key\` was used with another body.`,
  run: async ({ disputes }, owner, { caller, params, body, operationId, request }) => {
    const { action, statement = null, fields = null, fileIds = null } = body;
    const [by, operation] = [actorOf(caller), { id: operationId, requestId: request.id }];
    if (action === "ACCEPT" && (statement !== null || fields !== null || fileIds !== null)) {
      throw new RelayError("invalid_request", "action: ACCEPT submits no evidence; omit statement, fields and fileIds");
    }
    const outcome =
      action === "ACCEPT"
        ? await disputes.accept(owner, params.id, by, operation)
        : await disputes.challenge(owner, params.id, { statement, fields, fileIds }, by, operation);
    switch (outcome?.type) {
      case undefined:
        return null;
      case "not_open":
      case "deadline_passed":
        return notAnswerable({ type: outcome.type, dispute: outcome.dispute });
      case "no_evidence":
        return refusal(409, "no_evidence", "A response needs a statement or at least one file; add one of them");
      case "too_many":
        return refusal(409, "too_many", `The dispute already has ${DISPUTE_SUBMISSIONS_MAX} responses; no more are accepted`);
      case "submitted":
      case "accepted":
        return { done: outcome.dispute };
    }
  },
});
