import { Type } from "@sinclair/typebox";
import type { AlertRecord } from "../../../../engine/alerts/alert.ts";
import type { AlertFeed, Alerts } from "../../../../engine/alerts/alerts.ts";
import type { FedPayment, FeedParties } from "../../../../engine/cases/feed-parties.ts";
import type { DisputeRecord } from "../../../../engine/disputes/dispute.ts";
import type { DisputeFeed, Disputes } from "../../../../engine/disputes/disputes.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import type { MerchantParty } from "../../../../engine/kernel/merchant-scope.ts";
import { MERCHANT_ID_PATTERN } from "../../../../engine/partners/merchant.ts";
import { surface } from "../../../endpoint/surface.ts";
import { ADMIN_SURFACE } from "../surface.ts";

/** The operations that administrators use to enter the messages of networks. */
export interface DisputeFeedOperations {
  disputeFeed: DisputeFeed;
  alertFeed: AlertFeed;
  feedParties: FeedParties;
  disputes: Pick<Disputes, "list" | "readFile">;
  alerts: Pick<Alerts, "list">;
}

export const adminOfDisputes = surface<DisputeFeedOperations>()(ADMIN_SURFACE);

export const FeedDisputeParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, parameterName: "DisputeId", description: "`dp_...`" }),
});
export const FeedAlertParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, parameterName: "AlertId", description: "`al_...`" }),
});

export const FED_MERCHANT = Type.String({ pattern: MERCHANT_ID_PATTERN });

export const FED_PAYMENT = Type.Union([Type.String({ minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX }), Type.Null()], {
  description:
    "The uuid of a transaction of the merchant: 404 for any other. Absent or null if the payment is not known. Terminal and method are those of the transaction.",
});

export async function partyOf({ feedParties }: Pick<DisputeFeedOperations, "feedParties">, merchantId: string): Promise<MerchantParty> {
  const party = await feedParties.party(merchantId);
  if (party === null) throw new RelayError("not_found", "There is no such merchant");
  return party;
}

export async function paymentOf(
  { feedParties }: Pick<DisputeFeedOperations, "feedParties">,
  merchantId: string,
  uuid: string | null | undefined,
): Promise<FedPayment | null> {
  if (uuid === undefined || uuid === null) return null;
  const payment = await feedParties.payment(merchantId, uuid);
  if (payment === null) throw new RelayError("not_found", "uuid: is not a transaction of this merchant");
  return payment;
}

export async function disputeOf({ disputeFeed }: Pick<DisputeFeedOperations, "disputeFeed">, id: string): Promise<DisputeRecord> {
  const dispute = await disputeFeed.byId(id);
  if (dispute === null) throw noSuchDispute();
  return dispute;
}

export async function alertOf({ alertFeed }: Pick<DisputeFeedOperations, "alertFeed">, id: string): Promise<AlertRecord> {
  const alert = await alertFeed.byId(id);
  if (alert === null) throw noSuchAlert();
  return alert;
}

export function noSuchDispute(): RelayError {
  return new RelayError("not_found", "There is no such dispute");
}

export function noSuchAlert(): RelayError {
  return new RelayError("not_found", "There is no such alert");
}

/** Throws RelayError `invalid_request` naming the member. */
export function timeOf(member: string, text: string): number {
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) throw new RelayError("invalid_request", `${member}: must be an ISO 8601 time with a time zone`);
  return atMs;
}

/** The time must have a zone, so that a network's message means the same everywhere. */
export const FED_TIME = {
  maxLength: 32,
  pattern:
    "^2[0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,3})?)?(?:Z|[+-][01][0-9]:[0-5][0-9])$",
  errorMessage: "must be an ISO 8601 time with a time zone",
};

export const PAGE = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 256, description: "The `next` of the previous page." })),
};
