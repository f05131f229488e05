import type { SecretBox } from "../../engine/kernel/secret-box.ts";
import type { WebhookDeliveryRecord } from "../../engine/webhooks/webhook-delivery.ts";
import { liveSecrets, webhookSecretPlace } from "../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEvent, WebhookFormat } from "../../engine/webhooks/webhook-event.ts";
import type { WebhookRequests } from "../../engine/webhooks/webhook-sender.ts";
import { partnerSignatures, platformSignatures, type Signed } from "./signatures.ts";

export interface WebhookRequestsOptions {
  box: SecretBox;
  /** The partner's `sk_partner_` secret; null while it has no access. */
  partnerSecretOf(partnerId: number): string | null;
}

/** Writes webhooks, each in the form and with the signatures of its endpoint. */
export function createWebhookRequests({ box, partnerSecretOf }: WebhookRequestsOptions): WebhookRequests {
  return {
    requestOf: ({ event, delivery, endpoint, atMs }) => {
      const form = FORMS[endpoint.format];
      if (form === undefined) return null;
      const envelope = form.envelope(event, delivery);
      if (endpoint.owner.type === "partner") {
        const secret = partnerSecretOf(endpoint.owner.partnerId);
        if (secret === null) return null;
        const body = JSON.stringify({ ...envelope, merchantId: event.merchantId });
        return { body, headers: partnerSignatures({ id: event.id, body, atMs }, secret) };
      }
      const secrets = liveSecrets(endpoint, atMs).map(({ sealed }) => box.open(sealed, webhookSecretPlace(endpoint.id)));
      const body = JSON.stringify(envelope);
      return { body, headers: form.signatures({ id: event.id, body, atMs }, secrets) };
    },
  };
}

/** How a format writes an event, and signs it for a merchant. */
interface Form {
  envelope(event: WebhookEvent, delivery: WebhookDeliveryRecord): object;
  signatures(signed: Signed, secrets: readonly string[]): { [header: string]: string };
}

/** Formats without a form are those that have no events yet: nothing is sent in them. */
const FORMS: { readonly [Format in WebhookFormat]?: Form } = {
  platform: { envelope: platformEvent, signatures: platformSignatures },
};

/** An event as the compatible platform writes it, in webhooks and in answers. */
export function platformEvent(event: WebhookEvent, told: { apiVersion: string | null; pendingWebhooks: number }): object {
  return {
    id: event.id,
    object: "event",
    api_version: told.apiVersion,
    created: Math.floor(event.createdAtMs / 1_000),
    data: event.data,
    livemode: event.livemode,
    pending_webhooks: told.pendingWebhooks,
    request: { id: event.request.id, idempotency_key: event.request.idempotencyKey },
    type: event.type,
  };
}
