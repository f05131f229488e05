import { Type } from "@sinclair/typebox";
import type { Intents } from "../../../engine/intents/intents.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { surface } from "../../endpoint/surface.ts";
import type { ShopOperations } from "../parts/buyer/buyer-shop.ts";
import { relayEnvelope } from "../parts/relay-envelope.ts";

/** What the buyer's pages use. */
export interface CompatPageOperations extends ShopOperations {
  intents: Pick<Intents, "byToken" | "verify">;
  timers: Timers;
}

export const pages = surface<CompatPageOperations>()({ name: "compat-pages", tags: ["Buyer's pages"], envelope: relayEnvelope });

/** Any text: a wrong one gets a page, and no error in JSON. */
export const TokenParams = Type.Object({ token: Type.String({ description: "Token of the payment; anyone who has it may pay." }) });

const TOKEN = /^[A-Za-z0-9_-]{24,256}$/;

/** Null, without a look into the store, for what no token looks like. */
export async function intentOf({ intents }: CompatPageOperations, token: string) {
  return TOKEN.test(token) ? intents.byToken(token) : null;
}
