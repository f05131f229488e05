import type { Ids } from "../kernel/ids.ts";
import type { CardGateway } from "./card-gateway.ts";
import type { GatewayCredentials } from "./gateway.ts";

export type GatewayCheck =
  | { type: "accepted" }
  | { type: "refused"; resultCode: string; description: string }
  /** Not known to be right: the gateway was not reached, or said no in a way that may pass; `reason` says which. */
  | { type: "unavailable"; reason: string };

/** Asks the gateway for a payment that there is not: an answer at all says that it knows the account, and no money moves. */
export type CheckGateway = (credentials: GatewayCredentials) => Promise<GatewayCheck>;

export function createCheckGateway({ gateway, ids }: { gateway: CardGateway; ids: Ids }): CheckGateway {
  return async (credentials) => {
    const answer = await gateway.verify(credentials, { txId: ids.uuid(), paymentId: null });
    return answer.type === "done" ? { type: "accepted" } : answer;
  };
}
