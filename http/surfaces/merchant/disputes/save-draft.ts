import { SaveDisputeDraft } from "./schemas.ts";
import { NOT_ANSWERABLE, notAnswerable, oneDispute } from "./surface.ts";

/** The longest statement and all fields, if each character has four bytes. */
const BODY_BYTES_MAX = 393_216;

export const saveDisputeDraft = oneDispute.action({
  name: "saveDisputeDraft",
  method: "PUT",
  path: "/draft",
  summary: "Update the draft of a response",
  description:
    "Replaces the whole draft; an omitted member becomes empty. Only the merchant sees the draft until it is submitted. Card numbers in it are masked.",
  may: "operate",
  noStepUp: "A draft submits nothing. The response submits it, and needs a fresh factor.",
  bodyBytesMax: BODY_BYTES_MAX,
  body: SaveDisputeDraft,
  bodyExample: { statement: "The parcel was handed over on the 20th.", fields: { trackingNumber: "1Z999" } },
  audit: { action: "dispute.save-draft" },
  done: { description: "The draft is saved." },
  conflict: `${NOT_ANSWERABLE}.`,
  run: async ({ disputes }, owner, { params, body, request }) => {
    const { statement = null, fields = {} } = body;
    // A repetition saves the same draft.
    const outcome = await disputes.saveDraft(owner, params.id, { statement, fields }, { id: request.id, requestId: request.id });
    if (outcome === null) return null;
    return outcome.type === "saved" ? { done: outcome.dispute } : notAnswerable(outcome);
  },
});
