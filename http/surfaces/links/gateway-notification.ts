import { Type } from "@sinclair/typebox";
import { links } from "./surface.ts";

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }));

/**
 * Always gives the same response: one that distinguished known from unknown payments, or right from wrong signatures, would help only
 * attackers.
 */
export const gatewayNotification = links.endpoint({
  name: "gatewayNotification",
  method: "POST",
  path: "/api/v1/gw/notify",
  summary: "Receive a notification of the card gateway",
  description:
    "The relay does not trust the notification: it asks the gateway for the state. A notification with a wrong `signature` (HMAC-SHA256 over `merId=...&txId=...&paymentId=...`, hex) gets the same response and is ignored. Notifications without a signature make the relay ask at most every three seconds per payment. The gateway has no API key; a key that is sent is ignored.",
  auth: "none",
  rateLimit: { bucket: "notify", perSecond: 200 },
  query: Type.Object({
    txId: Type.String({ minLength: 1, maxLength: 256, description: "Link transaction id." }),
    merId: text(256, "Merchant at the gateway."),
    paymentId: text(256, "The gateway's payment id."),
    signature: text(512, "Checked if present."),
  }),
  responses: { 200: { description: "Taken in." }, ...links.errors(400, 429, 503) },
  handle: async ({ notified }, { query }) => {
    const { txId, merId, paymentId, signature } = query;
    if (KNOWABLE.test(txId)) await notified({ txId, merId: merId ?? null, paymentId: paymentId ?? null }, signature ?? null);
    return { status: 200 as const };
  },
});

/** The form of the relay's ids. */
const KNOWABLE = /^[A-Za-z0-9._-]{1,64}$/;
