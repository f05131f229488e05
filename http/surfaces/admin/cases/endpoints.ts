import type { Endpoint } from "../../../endpoint/endpoint.ts";
import { invalidateAlert, listFedAlerts, receiveAlert, resolveAlert, showFedAlert } from "./alert-feed.ts";
import { listFedDisputes, readFedEvidence, showFedDispute } from "./look-at-disputes.ts";
import { decideDispute, refuseResponse, requestEvidence } from "./network-says.ts";
import { receiveDispute } from "./receive-dispute.ts";
import type { DisputeFeedOperations } from "./surface.ts";

/** What administrators bring in of networks and of sources of alerts, and what merchants have answered. */
export const disputeFeedEndpoints: Endpoint<DisputeFeedOperations>[] = [
  receiveDispute,
  listFedDisputes,
  showFedDispute,
  readFedEvidence,
  requestEvidence,
  refuseResponse,
  decideDispute,
  receiveAlert,
  listFedAlerts,
  showFedAlert,
  resolveAlert,
  invalidateAlert,
];
