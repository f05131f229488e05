import { randomBytes } from "node:crypto";
import type { WebhookSecrets } from "../../engine/webhooks/webhook-endpoints.ts";
import { SECRET_PREFIX } from "./signatures.ts";

/** As long as the digest that they key. */
const SECRET_BYTES = 32;

export function createWebhookSecrets(): WebhookSecrets {
  return { generate: () => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64") };
}
