import { Type } from "@sinclair/typebox";
import type { ShopBranding, Shops } from "../../../engine/branding/shop-branding.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { PortalLinks } from "../../../engine/portal-links/portal-links.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../parts/relay-envelope.ts";
import type { LocalTime } from "../parts/time.ts";

/** What the page of a payment link uses. */
export interface LinkPageOperations {
  portalLinks: Pick<PortalLinks, "byToken" | "pay" | "verified">;
  shops: Shops;
  shopBranding: Pick<ShopBranding, "logo">;
  linkPages: LinkPageOrigins;
  localTime: Pick<LocalTime, "zone">;
  clock: Pick<Clock, "nowMs">;
  timers: Timers;
}

export interface LinkPageOrigins {
  /** Of the gateway's interface; null without one. Its pages are there too, as far as is known before one is made. */
  gateway: string | null;
  /** Where customers' browsers reach the relay; known once it listens. */
  own(): string;
}

export const linkPages = surface<LinkPageOperations>()({ name: "link-pages", tags: ["Buyer's pages"], envelope: relayEnvelope });

/** Any text: a wrong one gets a page, and no error in JSON. */
export const LinkTokenParams = Type.Object({
  token: Type.String({ description: "Token of the link; anyone who has it may pay the link." }),
});

const TOKEN = /^[A-Za-z0-9]{22}$/;

/** Whether it is worth a look into the store. */
export function looksLikeToken(token: string): boolean {
  return TOKEN.test(token);
}

/** Presses of Pay from one address in a second: each may begin a payment at the gateway. */
export const PAY_RATE = { bucket: "buyer-pay", perSecond: 5 } as const;
