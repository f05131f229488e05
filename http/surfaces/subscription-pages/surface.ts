import { Type } from "@sinclair/typebox";
import type { Shops } from "../../../engine/branding/shop-branding.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Ids } from "../../../engine/kernel/ids.ts";
import type { Subscriptions } from "../../../engine/subscriptions/subscriptions.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../parts/relay-envelope.ts";
import type { LocalTime } from "../parts/time.ts";

/** What the page of a subscription uses. */
export interface SubscriptionPageOperations {
  subscriptions: Pick<Subscriptions, "byToken" | "pay" | "cancelByToken">;
  shops: Shops;
  linkPages: { own(): string };
  localTime: Pick<LocalTime, "zone">;
  clock: Pick<Clock, "nowMs">;
  ids: Pick<Ids, "uuid">;
}

export const subscriptionPages = surface<SubscriptionPageOperations>()({
  name: "subscription-pages",
  tags: ["Buyer's pages"],
  envelope: relayEnvelope,
});

/** Any text: a wrong one gets a page, and no error in JSON. */
export const SubscriptionTokenParams = Type.Object({
  token: Type.String({ description: "Token of the subscription; anyone who has it may pay and cancel the subscription." }),
});

const TOKEN = /^[A-Za-z0-9]{22}$/;

/** Whether it is worth a look into the store. */
export function looksLikeToken(token: string): boolean {
  return TOKEN.test(token);
}

/** Presses of a button from one address in a second: each may make a payment link. */
export const PRESS_RATE = { bucket: "buyer-pay", perSecond: 5 } as const;
