import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { addEvidence } from "./add-evidence.ts";
import { showDisputeStats } from "./dispute-stats.ts";
import { listDisputes } from "./list-disputes.ts";
import { readEvidence } from "./read-evidence.ts";
import { removeEvidence } from "./remove-evidence.ts";
import { respondToDispute } from "./respond-to-dispute.ts";
import { saveDisputeDraft } from "./save-draft.ts";
import { showDispute } from "./show-dispute.ts";
import type { DisputeOperations } from "./surface.ts";

/** The endpoints of a merchant's disputes, for its people and its secret key. */
export const disputeEndpoints: Endpoint<DisputeOperations & MerchantOperations>[] = [
  listDisputes,
  showDisputeStats,
  showDispute,
  saveDisputeDraft,
  addEvidence,
  readEvidence,
  removeEvidence,
  respondToDispute,
];
