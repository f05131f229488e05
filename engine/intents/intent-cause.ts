import type { FollowUpAsker } from "../links/link.ts";
import type { LinkCause } from "../links/link-companion.ts";
import type { Cancellation } from "./events.ts";
import type { IntentRefund, OrderChange } from "./intent.ts";
import type { Operation } from "./intents.ts";

/** Carries the changes of an intent through the links that a request uses. */
export class IntentCause implements LinkCause {
  readonly surface = "compat";
  readonly requestId: string;
  readonly askedBy: FollowUpAsker;
  readonly operation: Operation;
  readonly change: OrderChange;
  readonly cancellation: Cancellation | null;
  readonly refund: Omit<IntentRefund, "chargeId" | "createdAtMs" | "told"> | null;

  constructor(
    operation: Operation,
    also: { change?: OrderChange; cancellation?: Cancellation; refund?: NonNullable<IntentCause["refund"]> } = {},
  ) {
    this.operation = operation;
    this.requestId = operation.requestId;
    this.askedBy = operation.by ?? "key";
    this.change = also.change ?? {};
    this.cancellation = also.cancellation ?? null;
    this.refund = also.refund ?? null;
  }
}
