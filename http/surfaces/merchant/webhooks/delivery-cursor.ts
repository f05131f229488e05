import type { DeliveryPlace } from "../../../../engine/webhooks/webhook-delivery-store.ts";
import { damagedCursor } from "../transaction-query.ts";

/** Returns where a page ended as an opaque text, which is a position in the caller's own list. */
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
