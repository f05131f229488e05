import type { DisputeSubmission } from "./dispute.ts";

/** A response to a case, as it is given to the network. */
export interface NetworkResponse {
  readonly network: string;
  readonly networkCaseId: string;
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly disputeId: string;
  readonly submission: DisputeSubmission;
  /** The network must not be given it from this time on; whoever takes long has to look again. */
  readonly notAfterMs: number;
}

/** `absent`: the network has certainly not got it, and nothing of it is on its way. */
export type ResponseState = "taken" | "refused" | "absent" | "unknown";

/**
 * The port to those who bring responses to a network. Nothing here rejects for what the network does; each call ends within a minute, by deadlines of its own.
 */
export interface DisputeNetwork {
  /** Takes a response once for the submission's id. `absent`: it was certainly not given on. */
  submit(response: NetworkResponse): Promise<ResponseState>;
  /** What has become of it; changes nothing. */
  verify(response: NetworkResponse): Promise<ResponseState>;
}

/**
 * Where no acquirer is connected, the administrators bring a response to the network: they find it in the dispute, where it stands once it is submitted, and say what the network
 * answers. So it has arrived by being there.
 */
export const BY_ADMINISTRATORS: DisputeNetwork = {
  submit: async () => "taken",
  verify: async () => "taken",
};
