import type { Endpoint } from "../../../endpoint/endpoint.ts";
import { invalidateAlert, listFedAlerts, receiveAlert, resolveAlert, showFedAlert } from "./alert-feed.ts";
import { listFedDisputes, readFedEvidence, showFedDispute } from "./look-at-disputes.ts";
import { decideDispute, refuseResponse, requestEvidence } from "./network-says.ts";
import { receiveDispute } from "./receive-dispute.ts";
import type { DisputeFeedOperations } from "./surface.ts";

/**
 * Administrators enter the messages of networks and alert sources here, and read merchants'
 * responses.
 */
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
