import type { Caller } from "../../../../engine/access/caller.ts";
import {
  isPaidTwice,
  type PortalLinkAttempt,
  type PortalLinkCreator,
  type PortalLinkRecord,
} from "../../../../engine/portal-links/portal-link.ts";
import { maySeePersonalData } from "../../../endpoint/personal-data.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import { qrDataUrl } from "../../parts/buyer/qr-code.ts";
import { maskedEmail } from "../../parts/masking.ts";
import type { ActorNames } from "../actor-context.ts";
import { actorNames } from "../actor-names.ts";
import type { PaymentLinkJson } from "./schemas.ts";
import type { PaymentLinkOperations } from "./surface.ts";

type Seen = Pick<PaymentLinkOperations, "users" | "paymentLinkUrl">;

/** One link, with its code to scan. */
export async function paymentLinkJson(operations: Seen, caller: Caller, link: PortalLinkRecord): Promise<PaymentLinkJson> {
  const names = await actorNames(operations.users, caller, [link.createdBy]);
  const json = jsonOf(operations, caller, link, names);
  return { ...json, qr: await qrDataUrl(json.url) };
}

/** Links of a page. A code for each of two hundred would be most of the answer, and nobody scans a list. */
export async function paymentLinkList(operations: Seen, caller: Caller, links: readonly PortalLinkRecord[]): Promise<PaymentLinkJson[]> {
  const names = await actorNames(
    operations.users,
    caller,
    links.map(({ createdBy }) => createdBy),
  );
  return links.map((link) => jsonOf(operations, caller, link, names));
}

function jsonOf({ paymentLinkUrl }: Seen, caller: Caller, link: PortalLinkRecord, names: ActorNames<PortalLinkCreator>): PaymentLinkJson {
  const { id, token, order, state, late, createdBy, createdAtMs, paidAtMs, cancelledAtMs, mails, attempts } = link;
  const { amountMinor, currency, description, reference, customerEmail, expiresAtMs } = order;
  const { by, byType: creator } = names(createdBy);
  return {
    ...{ id, url: paymentLinkUrl(token), qr: null, state, late, paidTwice: isPaidTwice(link) },
    ...{ amountMinor, currency, description, reference },
    customerEmail: customerEmail === null || maySeePersonalData(caller) ? customerEmail : maskedEmail(customerEmail),
    createdAt: iso(createdAtMs),
    ...{ createdBy: by, creator },
    expiresAt: iso(expiresAtMs),
    paidAt: isoOrNull(paidAtMs),
    cancelledAt: isoOrNull(cancelledAtMs),
    mails: mails.length,
    attempts: attempts.map(attemptJson),
  };
}

function attemptJson({ txId, state, createdAtMs, endedAtMs, paid, resultDescription, refund }: PortalLinkAttempt) {
  return {
    ...{ uuid: txId, state, createdAt: iso(createdAtMs), endedAt: isoOrNull(endedAtMs) },
    ...{ paidMinor: paid?.amountMinor ?? null, paidCurrency: paid?.currency ?? null, last4: paid?.cardLast4 ?? null },
    ...{ message: resultDescription, refund },
  };
}

export const PAYMENT_LINK_EXAMPLE: PaymentLinkJson = {
  id: "pl_4f0k2m9x7q1c8v5b3n6z0a2s",
  url: "https://relay.example/l/7Y2mBqN0cKxE4rTgVdW1aP",
  qr: "data:image/svg+xml;base64,...",
  state: "PENDING",
  late: false,
  paidTwice: false,
  amountMinor: 1050,
  currency: "EUR",
  description: "Dinner on Thursday",
  reference: "T-7",
  customerEmail: "ada@example.com",
  createdAt: "2026-11-25T10:00:00.000Z",
  createdBy: "anna@example.com",
  creator: "user",
  expiresAt: "2026-12-02T10:00:00.000Z",
  paidAt: null,
  cancelledAt: null,
  mails: 0,
  attempts: [],
};
