import { createHash } from "node:crypto";
import type { AlertRecord } from "../../engine/alerts/alert.ts";
import { ALERT_WORKFLOW } from "../../engine/alerts/workflow.ts";
import type { DisputeRecord } from "../../engine/disputes/dispute.ts";
import { DISPUTE_WORKFLOW } from "../../engine/disputes/workflow.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { readBareRecord, readRecord } from "../../engine/kernel/schemas.ts";
import type { LinkRecord } from "../../engine/links/link.ts";
import { LINKS } from "../../engine/links/link-store.ts";
import { refundRows } from "../../engine/links/refund-rows.ts";
import { createMerchantStore } from "../../engine/partners/merchant-store.ts";
import type { ObjectRow } from "../../engine/payments/object-row.ts";
import { portalLinkRow } from "../../engine/portal-links/object-row.ts";
import type { PortalLinkRecord } from "../../engine/portal-links/portal-link.ts";
import { PORTAL_LINKS } from "../../engine/portal-links/workflow.ts";
import { SUBSCRIPTION_CHARGES } from "../../engine/subscriptions/cycle-charge-store.ts";
import { formerChargeRows, subscriptionRows } from "../../engine/subscriptions/object-rows.ts";
import type { CycleCharge, SubscriptionRecord } from "../../engine/subscriptions/subscription.ts";
import { SUBSCRIPTIONS } from "../../engine/subscriptions/workflow.ts";
import { entriesOf, fromStore } from "./outbox.ts";

/** Records of one kind of merchants' objects, and the rows that each record stands for. */
export interface ObjectSource {
  readonly prefix: string;
  /**
   * Resolves with the rows of a record, with the version that the store gave it, or with null if
   * this version cannot read it. Rejects with StorageUnavailable.
   */
  rows(entry: { value: string; version: number }): Promise<ObjectRow[] | null>;
}

/** This text cannot occur within strings, since quotes are escaped there. */
const NOTHING_FOLLOWED = '"followUps":[]';

/**
 * Returns the sources of all rows about merchants' objects, in the order in which they are read.
 * Rows of refunds come from the links.
 */
export function objectSources(kv: Kv, isLive = rememberedEnvironments(kv)): { links: ObjectSource; others: readonly ObjectSource[] } {
  async function subscription(record: SubscriptionRecord): Promise<ObjectRow[]> {
    const rows = [...subscriptionRows(record)];
    for await (const { key, value } of entriesOf(kv, `${SUBSCRIPTION_CHARGES}${record.id}/`, null, Number.POSITIVE_INFINITY)) {
      const charge = readable(() => readBareRecord<CycleCharge>("subscriptionCharge", key, value));
      if (charge !== null && charge.cycle !== record.charge?.cycle) rows.push(...formerChargeRows(record, charge));
    }
    return rows;
  }

  const links = source(
    LINKS,
    (text) => readBareRecord<LinkRecord>("link", "a link", text),
    async (link) => {
      const { shop } = link.order;
      const livemode = shop === undefined ? null : await isLive(shop);
      return livemode === null ? [] : refundRows(link, livemode);
    },
  );

  return {
    // Most links have no rows, and this check avoids reading them.
    links: { ...links, rows: async (entry) => (entry.value.includes(NOTHING_FOLLOWED) ? [] : links.rows(entry)) },
    others: [
      source(
        PORTAL_LINKS,
        (text) => readRecord<PortalLinkRecord>("portalLink", "a payment link of the portal", text),
        async (link) => [portalLinkRow(link, sha256)],
      ),
      source(
        DISPUTE_WORKFLOW.keyPrefix,
        (text) => readRecord<DisputeRecord>("dispute", "a dispute", text),
        async (dispute) => DISPUTE_WORKFLOW.reportRows(dispute),
      ),
      source(
        ALERT_WORKFLOW.keyPrefix,
        (text) => readRecord<AlertRecord>("alert", "an alert", text),
        async (alert) => ALERT_WORKFLOW.reportRows(alert),
      ),
      source(SUBSCRIPTIONS, (text) => readRecord("subscription", "a subscription", text), subscription),
    ],
  };
}

function source<Record extends object>(
  prefix: string,
  read: (text: string) => Record,
  rowsOf: (record: Record) => Promise<readonly ObjectRow[]>,
): ObjectSource {
  return {
    prefix,
    rows: async ({ value, version }) => {
      const record = readable(() => read(value));
      return record === null ? null : (await rowsOf(record)).map((row) => fromStore(row, version));
    },
  };
}

function readable<Record>(read: () => Record): Record | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/**
 * Returns a function that tells whether a merchant's money is real. It reads each merchant once,
 * and there are a few thousand of them.
 */
function rememberedEnvironments(kv: Kv): (merchantId: string) => Promise<boolean | null> {
  const merchants = createMerchantStore(kv);
  const known = new Map<string, boolean | null>();
  return async (merchantId) => {
    const before = known.get(merchantId);
    if (before !== undefined) return before;
    const stored = await merchants.load(merchantId);
    const isLive = stored === null ? null : stored.record.environment === "LIVE";
    known.set(merchantId, isLive);
    return isLive;
  };
}

/** Hashes like the function that the engine's stores receive. */
function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
