import { createEndpointStops } from "../../engine/webhooks/endpoint-stops.ts";
import { createFanOut } from "../../engine/webhooks/fan-out.ts";
import { createMerchantDeliveries } from "../../engine/webhooks/merchant-deliveries.ts";
import { createWebhookDeliveryStore, type DeliveryPlace } from "../../engine/webhooks/webhook-delivery-store.ts";
import { createWebhookEndpointStore } from "../../engine/webhooks/webhook-endpoint-store.ts";
import { createWebhookEventStore } from "../../engine/webhooks/webhook-event-store.ts";
import { createWebhookSender } from "../../engine/webhooks/webhook-sender.ts";
import { sha256Hex } from "../../http/auth/digest.ts";
import { createPostTarget } from "../../http/gateway/callback-post.ts";
import { createWebhookRequests } from "../../http/webhooks/webhook-request.ts";
import { createSecretBox } from "../../infra/node/boot/secret-box.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";

/**
 * The pipeline over the store of a node, as its sending thread runs it, until it is killed. Its clock is ahead by what it is told. Where it is told a number, it
 * makes so many commits and no more, and is in their midst until then. Says `running`, `held` after the last of these, and `done` when nothing is left to do.
 */
const [directory = "", key = "", aheadMs = "0", resentMerchant = "", held = ""] = process.argv.slice(2);
const TICK_MS = 5;
const LOOK_MS = 20;

const nowMs = () => Date.now() + Number(aheadMs);
const clock = { nowMs, monotonicMs: () => performance.now() };
const kv = await openEmbeddedKv({ directory, nowMs });
const commit = kv.commit.bind(kv);
const heldAt = held === "" ? Number.POSITIVE_INFINITY : Number(held);
const never = new Promise<never>(() => {});
let [begun, made] = [0, 0];
kv.commit = async (one) => {
  begun += 1;
  if (begun > heldAt) return never;
  const result = await commit(one);
  made += 1;
  if (made === heldAt) process.send?.("held");
  return result;
};
const events = createWebhookEventStore(kv);
const endpoints = createWebhookEndpointStore(kv);
const deliveries = createWebhookDeliveryStore(kv);
const failed = (what: string, error: unknown) => {
  console.error(what, error);
  process.exit(1);
};
const fanOut = createFanOut({ events, endpoints, deliveries, apiVersionOf: async () => null, clock, mine: () => true, failed });
const sender = createWebhookSender({
  deliveries,
  stops: createEndpointStops({ endpoints, deliveries, clock, disabled: () => {} }),
  requests: createWebhookRequests({ box: createSecretBox({ current: key, old: null }), partnerSecretOf: () => null }),
  target: createPostTarget({ allowedNetworks: ["127.0.0.0/8"] }),
  clock,
  mine: () => true,
  told: () => {},
  failed,
});
/** As often as the portal's page calls it. */
async function resendAll(merchantId: string): Promise<void> {
  const apiVersionOf = async () => null;
  const merchantDeliveries = createMerchantDeliveries({ events, deliveries, endpoints, apiVersionOf, digest: sha256Hex, clock });
  const merchant = { merchantId, partnerId: 7, livemode: false };
  for (let after: DeliveryPlace | null = null, more = true; more; more = after !== null) {
    after = (await merchantDeliveries.resendFailed(merchant, null, after)).next;
  }
}

setInterval(() => {
  fanOut.tick();
  sender.tick();
}, TICK_MS);
// Ends with the test that started it.
process.on("disconnect", () => process.exit(0));
process.send?.("running");
if (resentMerchant !== "") await resendAll(resentMerchant);
const looking = setInterval(async () => {
  if ((await events.outbox(1)).length > 0 || (await deliveries.count("waiting", 1)) > 0) return;
  clearInterval(looking);
  process.send?.("done");
}, LOOK_MS);
