import type { SecretBox } from "../../engine/kernel/secret-box.ts";
import type { WebhookDeliveryRecord } from "../../engine/webhooks/webhook-delivery.ts";
import { liveSecrets, webhookSecretPlace } from "../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEvent, WebhookFormat } from "../../engine/webhooks/webhook-event.ts";
import type { WebhookRequests } from "../../engine/webhooks/webhook-sender.ts";
import { platformEvent } from "../compat/platform-event.ts";
import { portalEnvelope } from "./portal-envelope.ts";
import { partnerSignatures, platformSignatures, portalSignatures, type Signed } from "./signatures.ts";

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
      if (endpoint.owner.type === "partner") {
        const secret = partnerSecretOf(endpoint.owner.partnerId);
        if (secret === null) return null;
        const body = JSON.stringify({ ...form.envelope(event, delivery), merchantId: event.merchantId });
        return { body, headers: partnerSignatures({ id: event.id, body, atMs }, secret) };
      }
      const secrets = liveSecrets(endpoint, atMs).map(({ sealed }) => box.open(sealed, webhookSecretPlace(endpoint.id)));
      const body = merchantBody(event, delivery);
      return { body, headers: form.signatures({ id: event.id, body, atMs }, secrets) };
    },
  };
}

/** The body that is posted to a merchant's endpoint, the same at every attempt. */
export function merchantBody(event: WebhookEvent, delivery: WebhookDeliveryRecord): string {
  return JSON.stringify(FORMS[event.format].envelope(event, delivery));
}

/** How a format writes an event, and signs it for a merchant. */
interface Form {
  envelope(event: WebhookEvent, delivery: WebhookDeliveryRecord): object;
  signatures(signed: Signed, secrets: readonly string[]): { [header: string]: string };
}

const FORMS: Readonly<Record<WebhookFormat, Form>> = {
  platform: { envelope: platformEvent, signatures: platformSignatures },
  portal: { envelope: portalEnvelope, signatures: portalSignatures },
};
