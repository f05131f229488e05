import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { TransactionRow } from "../../../engine/payments/feed-row.ts";
import {
  type MerchantTransactionQuery,
  TRANSACTION_ORDERS,
  type TransactionKey,
  type TransactionOrder,
} from "../../../engine/payments/merchant-transactions.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../storage/feed/feed-sink.ts";
import { createMerchantTransactions, type MerchantTransactionReader } from "../../../storage/transactions/merchant-transactions.ts";
import { ADMIN, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { openKv, realClock, START_MS, transactionRow, write } from "../feed/feed-world.ts";

const HOUR_MS = 3_600_000;
const SHOP = "ORDERS";

interface Members {
  uuid: string;
  hoursAgo: number;
  amountCents: number;
  currency?: string;
  authCode?: string;
  pan?: string;
  terminalId?: string;
}

function rowOf({ uuid, hoursAgo, amountCents, currency = "EUR", authCode, pan, terminalId = "T1" }: Members): TransactionRow {
  const base = transactionRow({ uuid, terminalId, createdAtMs: START_MS - hoursAgo * HOUR_MS, revision: 1 });
  const card = { brand: "VISA", maskedPan: `************${pan ?? "1234"}`, entry: "NFC" } as const;
  const auth = authCode === undefined ? {} : { authCode };
  const transaction = { ...base.transaction, method: "CARD", status: "OK", amountCents, currency, auth, card } as const;
  return { ...base, kind: "payment", shop: SHOP, transaction };
}

/**
 * The ages are between minutes and years, so that the rows are in all windows. Equal amounts and
 * equal times occur.
 */
const ROWS: readonly Members[] = [
  ...Array.from({ length: 30 }, (_, index) => ({
    uuid: `row-${String(index).padStart(3, "0")}`,
    hoursAgo: [0, 3, 40, 200, 900, 9_000][index % 6] ?? 0,
    amountCents: 100 * (1 + ((index * 7) % 5)),
  })),
  { uuid: "same", terminalId: "T2", hoursAgo: 3, amountCents: 300 },
  { uuid: "same", terminalId: "T3", hoursAgo: 3, amountCents: 300 },
  { uuid: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10", hoursAgo: 9_000, amountCents: 2_051, authCode: "A1B2C3", pan: "9876" },
  { uuid: "in-yen", hoursAgo: 1, amountCents: 2_051, currency: "JPY" },
  { uuid: "in-dinars", hoursAgo: 1, amountCents: 20_510, currency: "KWD" },
];

describe("the orders and searches of merchants' transactions", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  let reader: MerchantTransactionReader;
  let close = async (): Promise<void> => {};

  before(async () => {
    await migrate(client);
    const directory = await mkdtemp(join(tmpdir(), "relay-orders-"));
    const kv = await openKv(directory);
    close = async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    };
    const rows = ROWS.map(rowOf);
    // Every third row is not in ClickHouse yet.
    await deliver(
      clickHouseSink(client),
      rows.filter((_, index) => index % 3 !== 0),
    );
    await write(
      kv,
      rows.filter((_, index) => index % 3 === 0),
    );
    reader = createMerchantTransactions({ kv, client, clock: { ...realClock, nowMs: () => START_MS + 1_000 }, timers: machineTimers });
  });
  after(async () => {
    await close();
    await client.close();
  });

  async function found(query: Partial<MerchantTransactionQuery>, limit = 10): Promise<string[]> {
    const page = await reader.page(SHOP, { filter: {}, after: null, limit, ...query });
    return page.items.map(({ transaction }) => transaction.uuid);
  }

  /** The expected list, computed from the rows themselves. */
  function expected(order: TransactionOrder): string[] {
    const sign = order === "newest" || order === "largest" ? -1 : 1;
    const byTime = (one: Members, other: Members) =>
      other.hoursAgo - one.hoursAgo ||
      (one.uuid < other.uuid ? -1 : one.uuid > other.uuid ? 1 : (one.terminalId ?? "") < (other.terminalId ?? "") ? -1 : 1);
    const isByAmount = order === "largest" || order === "smallest";
    return [...ROWS]
      .sort((one, other) => sign * ((isByAmount ? one.amountCents - other.amountCents : 0) || byTime(one, other)))
      .map(({ uuid, terminalId = "T1" }) => `${uuid} ${terminalId}`);
  }

  for (const order of TRANSACTION_ORDERS) {
    it(`returns each row once in the order ${order}, over pages of any size`, async () => {
      for (const limit of [4, 7, 50]) {
        const all: string[] = [];
        let after: TransactionKey | null = null;
        do {
          const page: Awaited<ReturnType<MerchantTransactionReader["page"]>> = await reader.page(SHOP, { filter: {}, after, limit, order });
          all.push(...page.items.map(({ transaction }) => `${transaction.uuid} ${transaction.terminalId}`));
          after = page.next;
        } while (after !== null);
        assert.deepEqual(all, expected(order), `pages of ${limit}`);
      }
    });
  }

  it("finds an amount only in currencies with its number of decimals", async () => {
    const wanted = { text: null, amounts: [{ minor: 2_051, decimals: 2 }] };
    assert.deepEqual(await found({ filter: { wanted } }), ["0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10"]);
    assert.deepEqual(await found({ filter: { wanted: { text: null, amounts: [{ minor: 20_510, decimals: 3 }] } } }), ["in-dinars"]);
    assert.deepEqual(await found({ filter: { wanted: { text: null, amounts: [{ minor: 2_051, decimals: 0 }] } } }), ["in-yen"]);
    assert.deepEqual(await found({ filter: { wanted: { text: null, amounts: [] } } }), []);
  });

  it("finds the beginning of an id, an authorization code and the last four digits, or an amount", async () => {
    for (const text of ["0b0fcb6e", "A1B2C3", "9876"]) {
      assert.deepEqual(await found({ filter: { wanted: { text, amounts: [] } } }), ["0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10"], text);
    }
    const either = { text: "in-y", amounts: [{ minor: 20_510, decimals: 3 }] };
    assert.deepEqual((await found({ filter: { wanted: either } })).sort(), ["in-dinars", "in-yen"]);
  });

  it("finds ids with one typing error, wherever it is", async () => {
    const id = "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10";
    const typed = [
      `1${id.slice(1)}`,
      `${id.slice(0, -1)}1`,
      id.slice(1),
      id.slice(0, -1),
      `${id}0`,
      `${id.slice(0, 17)}7${id.slice(18)}`,
      ...[0, 11, 12, 23, 24, 34].map((at) => id.slice(0, at) + id.charAt(at + 1) + id.charAt(at) + id.slice(at + 2)),
    ].filter((text) => text !== id);
    for (const near of typed) assert.deepEqual(await found({ filter: { near } }), [id], near);
    assert.deepEqual(await found({ filter: { near: id } }), [], "the id itself is no error");
    assert.deepEqual(await found({ filter: { near: `1c${id.slice(2)}` } }), [], "two errors");
    assert.ok((await found({ filter: { near: "row-00x" } }, 50)).length === 10);
  });

  it("searches only about the given number of the newest rows, and reports since when", async () => {
    const query = { filter: { wanted: { text: "9876", amounts: [] } }, after: null, limit: 5 };
    const some = await reader.page(SHOP, { ...query, rowsMax: 5 });
    assert.deepEqual(some.items, []);
    assert.ok(some.sinceMs !== undefined && some.sinceMs > START_MS - 9_000 * HOUR_MS);
    const all = await reader.page(SHOP, { ...query, rowsMax: 1_000 });
    assert.equal(all.items.length, 1);
    assert.equal(all.sinceMs, undefined);
  });
});
