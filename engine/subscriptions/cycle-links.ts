import type { SubscriptionCreator } from "./subscription.ts";

/** The link by which a cycle is paid. */
export interface CycleLinkOrder {
  /** `sub-<subscription>-<cycle>-<attempt>`: the same one gives the same link. */
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

/** `uuid`: of the payment, as the merchant's transactions name it. `ended`: it is unpaid, and nobody can pay it any more. `open`: also one that was cancelled or has expired, while somebody may still be paying it. */
export type CycleLinkState =
  | { readonly type: "open" }
  | { readonly type: "paid"; readonly atMs: number; readonly uuid?: string }
  | { readonly type: "ended"; readonly code: string };

/** The port to payment links (portal-cycle-links.ts). Rejects with RelayError where it is not known. */
export interface CycleLinks {
  /** `refused`: there is none for this order, and will not be. */
  create(order: CycleLinkOrder): Promise<{ type: "created"; link: CycleLink } | { type: "refused"; code: string }>;
  look(order: Pick<CycleLinkOrder, "merchantId" | "partnerId" | "livemode">, link: CycleLink): Promise<CycleLinkState>;
  /** Takes it back, so that nobody begins to pay it any more; idempotent. */
  close(order: Pick<CycleLinkOrder, "merchantId" | "partnerId" | "livemode">, link: CycleLink): Promise<CycleLinkState>;
}
