import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { NOTHING_ELSE, type ObjectRow, objectVersion } from "../payments/object-row.ts";
import { type PortalLinkRecord, paidAttempt } from "./portal-link.ts";

export function portalLinkIdOf(operationId: string, digest: Digest): string {
  return prefixedId("pl_", digest(`portal link ${operationId}`));
}

export function portalLinkRow(record: PortalLinkRecord, digest: Digest): ObjectRow {
  const { id, merchantId, livemode, order, createdAtMs, updatedAtMs, state, late } = record;
  return {
    ...NOTHING_ELSE,
    ...{
      type: "object",
      version: objectVersion(state === "PAID", updatedAtMs),
      merchantId,
      livemode,
      object: "link",
      id,
      createdAtMs,
      state,
    },
    ...creatorOf(record, digest),
    reason: late ? "late" : "",
    amountMinor: order.amountMinor,
    currency: order.currency,
    uuid: paidAttempt(record)?.txId ?? "",
    endedAtMs: endedAtMs(record),
  };
}

function endedAtMs({ state, order, paidAtMs, cancelledAtMs }: PortalLinkRecord): number | null {
  switch (state) {
    case "PENDING":
      return null;
    case "PAID":
      return paidAtMs;
    case "CANCELLED":
      return cancelledAtMs;
    case "EXPIRED":
      return order.expiresAtMs;
  }
}

function creatorOf(record: PortalLinkRecord, digest: Digest): Pick<ObjectRow, "category" | "parent"> {
  const { createdBy } = record;
  if (createdBy.type === "agent") return { category: "agent", parent: createdBy.agentId };
  const subscription = subscriptionOf(record, digest);
  return subscription === null ? { category: createdBy.type, parent: "" } : { category: "subscription", parent: subscription };
}

/** `sub-<subscription>-<cycle>-<attempt>` (engine/subscriptions/rules.ts). */
const CYCLE = /^sub-(sub_[a-z0-9]{24})-\d{1,5}-\d{1,3}$/;

/** A merchant may use the reference of a cycle, but not the operation that the id derives from. */
function subscriptionOf({ id, order: { reference } }: PortalLinkRecord, digest: Digest): string | null {
  const [, subscription] = CYCLE.exec(reference ?? "") ?? [];
  return reference !== null && subscription !== undefined && id === portalLinkIdOf(reference, digest) ? subscription : null;
}
