import type { SubscriptionCreator } from "./subscription.ts";

/** The order of the link that pays a cycle. */
export interface CycleLinkOrder {
  /** `sub-<subscription>-<cycle>-<attempt>`. The same id returns the same link. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly amountMinor: number;
  readonly currency: string;
  readonly description: string;
  readonly customerEmail: string;
  readonly createdBy: SubscriptionCreator;
  readonly expiresAtMs: number;
}

export interface CycleLink {
  readonly id: string;
  readonly token: string;
}

/**
 * `uuid`: the payment in the merchant's transactions. `ended`: it is unpaid, and nobody can pay it
 * any more. `open`: somebody may still be paying it, even if it was cancelled or has expired.
 */
export type CycleLinkState =
  | { readonly type: "open" }
  | { readonly type: "paid"; readonly atMs: number; readonly uuid?: string }
  | { readonly type: "ended"; readonly code: string };

/**
 * The port to payment links (portal-cycle-links.ts). Rejects with RelayError if the outcome is
 * unknown.
 */
export interface CycleLinks {
  /** `refused`: this order has no link and never will. */
  create(order: CycleLinkOrder): Promise<{ type: "created"; link: CycleLink } | { type: "refused"; code: string }>;
  look(order: Pick<CycleLinkOrder, "merchantId" | "partnerId" | "livemode">, link: CycleLink): Promise<CycleLinkState>;
  /** Cancels the link, so that nobody starts to pay it any more. Idempotent. */
  close(order: Pick<CycleLinkOrder, "merchantId" | "partnerId" | "livemode">, link: CycleLink): Promise<CycleLinkState>;
}
