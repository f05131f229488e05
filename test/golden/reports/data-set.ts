import type { MerchantScope } from "../../../engine/kernel/merchant-scope.ts";
/** The rows of the report goldens, which are equal in each run. */
import { GATEWAY_RESULT } from "../../../engine/gateway/gateway.ts";
import type { ConflictRow, LifeRow, TransactionRow } from "../../../engine/payments/feed-row.ts";
import type { ObjectRow } from "../../../engine/payments/object-row.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { Random } from "../../simulation/random.ts";
import { type ObjectMembers, objectOf, type PaymentMembers, paymentOf } from "../../storage/reports/merchant-reports-world.ts";

export const NOW_MS = Date.parse("2026-10-29T12:00:00Z");

/** The live and the test environment of one merchant, and another merchant. */
export const OWNERS: readonly MerchantScope[] = [
  { merchantId: "M1", livemode: true },
  { merchantId: "M1", livemode: false },
  { merchantId: "M2", livemode: true },
];

/**
 * `place` is where the row is when reports are calculated. For `both`, ClickHouse has an older
 * version of the waiting row.
 */
export type PlacedRow =
  | { readonly row: TransactionRow | ObjectRow; readonly place: "clickhouse" | "outbox" }
  | { readonly row: TransactionRow | ObjectRow; readonly place: "both"; readonly older: TransactionRow | ObjectRow }
  | { readonly row: LifeRow | ConflictRow; readonly place: "clickhouse" };

const DAY_MS = 86_400_000;
const random = new Random(1);
const CURRENCIES = { EUR: 6, CHF: 3, JPY: 1 };

const textOf = (ms: number) => new Date(ms).toISOString();
/** Returns a time within the last days. */
const within = (days: number) => NOW_MS - random.between(3_600_000, days * DAY_MS);
const after = (ms: number, days: number) => Math.min(NOW_MS - 1_000, ms + random.between(60_000, days * DAY_MS));

function placed<Row extends TransactionRow | ObjectRow>(row: Row, olderOf: () => Row): PlacedRow {
  const place = random.weighted({ clickhouse: 14, outbox: 1, both: 1 });
  return place === "both" ? { row, place, older: olderOf() } : { row, place };
}

function thing(owner: MerchantScope, kind: ObjectRow["object"], members: ObjectMembers): PlacedRow {
  const { id, at } = members;
  return placed(objectOf(owner, kind, members), () => objectOf(owner, kind, { id, at, state: "PENDING", amountMinor: 1, version: 1 }));
}

/** Returns a payment with everything that may follow from it. */
function payment(owner: MerchantScope, uuid: string): PlacedRow[] {
  const { merchantId } = owner;
  const atMs = within(75);
  const method = random.weighted({ CARD: 10, PAYBYLINK: 7, SATISPAY: 3, VOUCHER: 2, RECEIPT: 1, UNKNOWN: 1 });
  const isOk = random.chance(0.75);
  const decline = random.pick([
    { actionCode: "116", message: "INSUFFICIENT FUNDS" },
    { actionCode: "116", message: "Fondi insufficienti" },
    { actionCode: GATEWAY_RESULT.expired, message: "expired" },
    { actionCode: GATEWAY_RESULT.cancelledByBuyer, message: "cancelled" },
  ]);
  const entry = random.pick(["MAN", "ICC", "NFC"] as const);
  const members: PaymentMembers = {
    ...{ uuid, at: textOf(atMs), method, status: isOk ? "OK" : "KO", amountCents: random.between(100, 50_000) },
    ...{ currency: random.weighted(CURRENCIES), terminalId: random.pick(["T1", "T2", "T3"]), kind: random.chance(0.9) ? "payment" : null },
    ...(isOk ? {} : decline),
    ...(method === "CARD" && random.chance(0.9) ? { brand: random.pick(["VISA", "MASTERCARD"]), entry } : {}),
  };
  const { currency = "", amountCents = 0 } = members;
  const rows = [
    placed(paymentOf(merchantId, { ...members, revision: 2 }), () => paymentOf(merchantId, { ...members, status: "KO", amountCents: 1 })),
  ];
  if (random.chance(0.1)) {
    const conflict: ConflictRow = {
      type: "conflict",
      id: `c-${uuid}`,
      uuid,
      terminalId: members.terminalId ?? "",
      postedBy: "fleet",
      atMs,
      raw: "{}",
    };
    rows.push({ row: conflict, place: "clickhouse" });
  }
  if (method !== "PAYBYLINK" || !isOk || random.chance(0.4)) return rows;
  const endedMs = after(atMs, 30);
  const refund = { id: `re-${uuid}`, uuid, currency, at: textOf(endedMs - 1_000), category: random.pick(["user", "key", "alert"]) };
  const state = random.weighted({ done: 6, unknown: 1, refused: 1 });
  const amountMinor = random.chance(0.5) ? amountCents : Math.floor(amountCents / 3);
  return [...rows, thing(owner, "refund", { ...refund, state, amountMinor, ...(state === "unknown" ? {} : { ended: textOf(endedMs) }) })];
}

/** Returns a payment with an unknown outcome. */
function unknown(shop: string, uuid: string): PlacedRow {
  const acceptedAtMs = within(12);
  const row: LifeRow = {
    ...{
      type: "life",
      version: rowVersion("unknown", 1),
      uuid,
      terminalId: "T1",
      kind: "payment",
      service: "PAYCC",
      amountCents: 100,
      sender: "x",
    },
    ...{
      state: "unknown",
      acceptedAtMs,
      sentAtMs: acceptedAtMs + 1,
      finishedAtMs: acceptedAtMs + 120_000,
      channel: "poll",
      attempt: 1,
      shop,
    },
  };
  return { row, place: "clickhouse" };
}

function link(owner: MerchantScope, id: string): PlacedRow {
  const atMs = within(75);
  const state = random.weighted({ PAID: 5, CANCELLED: 2, EXPIRED: 2, PENDING: 2 });
  const category = random.weighted({ user: 4, key: 2, agent: 4, subscription: 1 });
  return thing(owner, "link", {
    ...{ id, at: textOf(atMs), state, category, amountMinor: random.between(100, 20_000), currency: random.weighted(CURRENCIES) },
    ...(category === "agent" ? { parent: random.pick(["ac_1", "ac_2", "ac_3"]) } : {}),
    ...(state === "PENDING" ? {} : { ended: textOf(after(atMs, 2)) }),
    ...(state === "PAID" && random.chance(0.3) ? { reason: "late" } : {}),
  });
}

function alert(owner: MerchantScope, id: string): PlacedRow {
  const [state, reason] = random.pick([
    ...([
      ["REFUNDED", "rule"],
      ["REFUNDED", "merchant"],
      ["PREVENTED", "network"],
      ["DECLINED", "deadline"],
    ] as const),
    ...([
      ["DECLINED", "merchant"],
      ["DECLINED", "invalid"],
      ["PENDING", ""],
    ] as const),
  ]);
  const members = {
    id,
    at: textOf(within(75)),
    state,
    reason,
    amountMinor: random.between(100, 9_000),
    currency: random.weighted(CURRENCIES),
  };
  return thing(owner, "alert", members);
}

function dispute(owner: MerchantScope, id: string, alertId: string): PlacedRow {
  const atMs = within(75);
  const state = random.pick(["OPEN", "EVIDENCE_REQUIRED", "UNDER_REVIEW", "WON", "LOST", "EXPIRED"]);
  return thing(owner, "dispute", {
    ...{ id, at: textOf(atMs), state, category: random.pick(["FRAUD", "NOT_RECEIVED", "OTHER"]), amountMinor: random.between(100, 9_000) },
    ...{ currency: random.weighted(CURRENCIES), parent: random.chance(0.5) ? alertId : "" },
    ...(state === "LOST" && random.chance(0.5) ? { reason: "accepted" } : {}),
  });
}

/** Returns a subscription with the charges of its cycles, some of which fail at first. */
function subscription(owner: MerchantScope, id: string): PlacedRow[] {
  const atMs = NOW_MS - random.between(40, 200) * DAY_MS;
  const currency = random.weighted(CURRENCIES);
  const state = random.weighted({ ACTIVE: 5, PAST_DUE: 1, PAUSED: 1, TRIALING: 1, CANCELLED: 5 });
  const endedMs = NOW_MS - random.between(1, 39) * DAY_MS;
  const charges = Array.from({ length: state === "TRIALING" ? 0 : 6 }, (_, cycle): PlacedRow[] => {
    const dueMs = atMs + 1_000 + cycle * 30 * DAY_MS;
    if (dueMs > (state === "CANCELLED" ? endedMs : NOW_MS - 9 * DAY_MS)) return [];
    const failures = random.weighted({ none: 5, once: 3, twice: 1 });
    const outcomes = { none: ["paid"], once: ["failed", "paid"], twice: ["failed", "failed"] }[failures];
    return outcomes.map((outcome, index) => {
      const ended = textOf(dueMs + index * random.between(1, 3) * DAY_MS + 1_000);
      return thing(owner, "charge", {
        ...{ id: `${id}-${cycle + 1}-${index + 1}`, parent: id, attempt: index + 1, currency, at: textOf(dueMs + index * DAY_MS), ended },
        ...{ state: outcome, reason: outcome === "failed" ? random.pick(["hard", "soft", "soft", "lost"]) : "" },
      });
    });
  });
  const members = {
    ...{ id, at: textOf(atMs), activeSince: textOf(atMs), state, currency, monthlyMinor: random.between(500, 5_000) },
    ...(state === "PAUSED" ? { changed: textOf(endedMs) } : {}),
    ...(state === "CANCELLED" ? { reason: random.pick(["merchant", "customer", "dunning"]), ended: textOf(endedMs) } : {}),
  };
  return [{ row: objectOf(owner, "subscription", members), place: "clickhouse" }, ...charges.flat()];
}

const some = <Row>(count: number, make: (n: number) => Row): Row[] => Array.from({ length: count }, (_, n) => make(n));

/** Payments have no environment, so a merchant has them only once. */
export const ROWS: readonly PlacedRow[] = OWNERS.flatMap((owner) => {
  const { merchantId, livemode } = owner;
  const of = `${merchantId}-${livemode ? "live" : "test"}`;
  const size = merchantId === "M1" && livemode ? 4 : 1;
  return [
    ...(livemode ? some(100 * size, (n) => payment(owner, `${of}-p${n}`)).flat() : []),
    ...(livemode ? some(3 * size, (n) => unknown(merchantId, `${of}-u${n}`)) : []),
    ...some(25 * size, (n) => link(owner, `${of}-l${n}`)),
    ...some(10 * size, (n) => alert(owner, `${of}-a${n}`)),
    ...some(15 * size, (n) => dispute(owner, `${of}-d${n}`, `${of}-a${n % (10 * size)}`)),
    ...some(10 * size, (n) => subscription(owner, `${of}-s${n}`)).flat(),
  ];
});
