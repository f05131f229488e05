import { MASKED } from "../../../../engine/kernel/mask.ts";
import { type MerchantDelivery, outcomeOf } from "../../../../engine/webhooks/merchant-deliveries.ts";
import type { WebhookDeliveryRecord } from "../../../../engine/webhooks/webhook-delivery.ts";
import type { DeliveryPlace } from "../../../../engine/webhooks/webhook-delivery-store.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import { maskedEmail } from "../../parts/masking.ts";
import { damagedCursor } from "../transaction-query.ts";
import type { WebhookDeliveryDetailJson, WebhookDeliveryJson } from "./schemas.ts";

export const DELIVERY_EXAMPLE: WebhookDeliveryJson = {
  id: "evt_0d8f5k2m9q4r7s1t3u6v8w0x.we_1a2b3c4d5e6f7g8h9i0j1k2l",
  eventId: "evt_0d8f5k2m9q4r7s1t3u6v8w0x",
  eventType: "payment.succeeded",
  endpointId: "we_1a2b3c4d5e6f7g8h9i0j1k2l",
  url: "https://shop.example/hooks",
  objectId: "pl_9z8y7x6w5v4u3t2s1r0q9p8o.1",
  outcome: "FAILED",
  attempts: 6,
  lastAttemptAt: "2026-03-01T11:05:05.000Z",
  lastStatus: 500,
  nextAttemptAt: null,
  createdAt: "2026-03-01T10:00:00.000Z",
};

/** `url`: its endpoint's now; null where that is gone. */
export function deliveryJson(record: WebhookDeliveryRecord, url: string | null): WebhookDeliveryJson {
  const { id, eventId, eventType, endpointId, objectId, attempts, nextAtMs, createdAtMs } = record;
  const last = attempts.at(-1);
  return {
    ...{ id, eventId, eventType, endpointId, url, objectId, outcome: outcomeOf(record), attempts: attempts.length },
    lastAttemptAt: last === undefined ? null : iso(last.atMs),
    lastStatus: last?.status ?? null,
    nextAttemptAt: isoOrNull(nextAtMs),
    createdAt: iso(createdAtMs),
  };
}

/** With what was posted and what was answered; what is of people masked for who does not see it. */
export function deliveryDetailJson(
  { delivery, endpoint }: MerchantDelivery,
  body: string | null,
  maySee: boolean,
): WebhookDeliveryDetailJson {
  const seen = (text: string | null) => (text === null || maySee ? text : withoutAddresses(text));
  return {
    ...deliveryJson(delivery, endpoint?.url ?? null),
    body: seen(body === null || maySee ? body : withoutPeople(body)),
    tries: delivery.attempts.map(({ atMs, durationMs, status, answer, error }) => ({
      at: iso(atMs),
      ms: durationMs,
      status,
      answer: seen(answer),
      problem: status === null ? error : null,
    })),
  };
}

/** Members of the events' objects that say who somebody is, where they live and how to call them. */
const OF_PEOPLE: ReadonlySet<string> = new Set(["shipping", "billing_details"]);

/** `body`: JSON of our own. */
function withoutPeople(body: string): string {
  return JSON.stringify(JSON.parse(body, (name, value: unknown) => (OF_PEOPLE.has(name) ? withoutTexts(value) : value)));
}

/** The form stays, for who looks for a fault in what was sent. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? "" : MASKED;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTexts);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTexts(member)]));
}

/** As long as the parts of an address may be: a text of a page is masked in one pass. */
const ADDRESS = /[^\s"'<>(),;:[\]{}\\@]{1,64}@[A-Za-z0-9.-]{1,255}/g;

function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, maskedEmail);
}

/** Where a page ended, as an opaque text. It names a place in the list of whoever asks, and opens nothing. */
export function cursorOfDelivery(place: DeliveryPlace | null): string | null {
  return place === null ? null : Buffer.from(`${place.createdAtMs}/${place.id}`).toString("base64url");
}

/** Throws RelayError `invalid_request` for a text that `cursorOfDelivery` did not make. */
export function deliveryPlaceOf(cursor: string | undefined): DeliveryPlace | null {
  if (cursor === undefined) return null;
  const [, ms, id] = /^(\d{1,13})\/(evt_[a-z0-9]{24}\.we_[a-z0-9]{24})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  const place = id === undefined ? null : { createdAtMs: Number(ms), id };
  if (place === null || cursorOfDelivery(place) !== cursor) throw damagedCursor();
  return place;
}

export const DISABLED_ENDPOINT = "Its endpoint is disabled or removed; enable it first";
