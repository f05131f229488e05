/** Payments and objects of merchants for reports, stored in ClickHouse or waiting in the outbox. */
import type { ClickHouseClient } from "@clickhouse/client";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { MerchantScope } from "../../../engine/kernel/merchant-scope.ts";
import type { TransactionRow } from "../../../engine/payments/feed-row.ts";
import { type MerchantObjectKind, NOTHING_ELSE, type ObjectRow, objectVersion } from "../../../engine/payments/object-row.ts";
import { outboxKeyAt } from "../../../engine/payments/outbox.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import { transactionRow } from "../feed/feed-world.ts";

export interface PaymentMembers {
  uuid: string;
  at: string;
  method?: Transaction["method"];
  status?: Transaction["status"];
  amountCents?: number;
  currency?: string;
  terminalId?: string;
  actionCode?: string;
  message?: string;
  brand?: string;
  entry?: "MAN" | "ICC" | "NFC";
  kind?: TransactionRow["kind"];
  revision?: number;
}

export function paymentOf(shop: string, members: PaymentMembers): TransactionRow {
  const { uuid, at, method = "CARD", status = "OK", amountCents = 1_000, currency = "EUR", terminalId = "T1", kind = "payment" } = members;
  const { actionCode, message = "", brand, entry, revision = 1 } = members;
  const base = transactionRow({ uuid, terminalId, createdAtMs: Date.parse(at), revision });
  return {
    ...{ ...base, kind, shop },
    transaction: {
      ...{ uuid, terminalId, createdAtMs: Date.parse(at), method, status, amountCents, currency, message },
      auth: actionCode === undefined ? {} : { actionCode },
      card: { ...(brand === undefined ? {} : { brand }), ...(entry === undefined ? {} : { entry }) },
    },
  };
}

export type ObjectMembers = Partial<Omit<ObjectRow, "type" | "object" | "createdAtMs" | "endedAtMs" | "activeAtMs">> & {
  id: string;
  at: string;
  ended?: string;
  activeSince?: string;
  /** The time of its last change. */
  changed?: string;
};

export function objectOf({ merchantId, livemode }: MerchantScope, object: MerchantObjectKind, members: ObjectMembers): ObjectRow {
  const { at, ended, activeSince, changed, ...rest } = members;
  const timeOf = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
  return {
    ...{ type: "object", merchantId, livemode, object, state: "", amountMinor: 1_000, currency: "EUR", ...NOTHING_ELSE },
    version: objectVersion(false, Date.parse(changed ?? ended ?? at)),
    ...{ createdAtMs: Date.parse(at), endedAtMs: timeOf(ended), activeAtMs: timeOf(activeSince) },
    ...rest,
  };
}

const timeText = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().replace("T", " ").replace("Z", ""));

/** Inserts rows as the feed does. */
export async function storeObjects(client: ClickHouseClient, rows: readonly ObjectRow[]): Promise<void> {
  await client.insert({
    table: "relay.merchant_objects",
    format: "JSONEachRow",
    values: rows.map((row) => ({
      ...{ merchant_id: row.merchantId, livemode: row.livemode, object: row.object, day: timeText(row.createdAtMs)?.slice(0, 10) },
      ...{ created_at: timeText(row.createdAtMs), id: row.id, version: row.version, state: row.state, category: row.category },
      ...{ reason: row.reason, amount_minor: row.amountMinor, currency: row.currency, uuid: row.uuid, parent: row.parent },
      ...{ attempt: row.attempt, due_at: timeText(row.dueAtMs), active_at: timeText(row.activeAtMs), ended_at: timeText(row.endedAtMs) },
      ...{ monthly_minor: row.monthlyMinor, store_version: 0 },
    })),
  });
}

let written = 0;

/** Writes rows as the stores of the engine do. */
export async function writeObjects(kv: Kv, rows: readonly ObjectRow[]): Promise<void> {
  const operations = rows.map((row) => {
    written += 1;
    return { type: "put", key: `${outboxKeyAt(row.createdAtMs)}-o${written.toString(36)}`, value: JSON.stringify(row) } as const;
  });
  await kv.commit({ checks: [], operations });
}
