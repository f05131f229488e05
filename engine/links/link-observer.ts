import type { CardGateway } from "../gateway/card-gateway.ts";
import type { GatewayAnswer } from "../gateway/gateway.ts";
import type { LinkEvent } from "./events.ts";
import type { FollowUpRefusal, LinkOrder, LinkState } from "./link.ts";
import type { LinkCause } from "./link-companion.ts";

/** A step of a link that is stored, or one that it did not take. */
export interface LinkStepped {
  readonly order: LinkOrder;
  readonly event: LinkEvent["type"] | "link.created";
  /** Null before it was there. */
  readonly from: LinkState | null;
  readonly to: LinkState;
  readonly atMs: number;
  /** Why it did not take it; null where it did. */
  readonly refused: FollowUpRefusal | "not_wanted" | null;
  readonly cause: LinkCause | null;
}

/** A call to the gateway about a link, which has ended. */
export interface LinkAsked {
  readonly order: LinkOrder;
  readonly operation: keyof CardGateway;
  /** When it was begun, and how long it took. */
  readonly atMs: number;
  readonly ms: number;
  readonly answer: GatewayAnswer<unknown>;
  readonly cause: LinkCause | null;
}

/** Told what becomes of links, after it is stored; for logs. It does nothing that waits, and throws nothing. */
export interface LinkObserver {
  stepped(step: LinkStepped): void;
  asked(call: LinkAsked): void;
}
