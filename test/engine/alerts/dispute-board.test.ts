import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AlertRecord } from "../../../engine/alerts/alert.ts";
import type { Alerts } from "../../../engine/alerts/alerts.ts";
import { dryRun } from "../../../engine/alerts/dry-run.ts";
import { type BoardQuery, createDisputeBoard } from "../../../engine/cases/case-list.ts";
import type { DisputeRecord } from "../../../engine/disputes/dispute.ts";
import type { Disputes } from "../../../engine/disputes/disputes.ts";
import { Random } from "../../simulation/random.ts";
import { dispute } from "../disputes/machine-world.ts";
import { alert, CREATED_MS } from "./machine-world.ts";

const OWNER = { merchantId: "M1", livemode: false };
const ALL: BoardQuery = {
  ...{ limit: 3, cursor: null, status: null, stage: null, category: null, fromMs: null, beforeMs: null, dueBeforeMs: null },
  ...{ terminalId: null, q: null, includeAlerts: true },
};

const placeOf = (atMs: number, id: string) => String(atMs).padStart(13, "0") + id;

interface Listed {
  readonly id: string;
  readonly createdAtMs: number;
}

/**
 * Pages a list like a store: newest first, from the cursor on. It may stop early with fewer items.
 */
function pageOf<Record extends Listed>(records: readonly Record[], cursor: string | null, limit: number, stopsAfter: number) {
  const behind = records
    .toSorted((one, other) => (placeOf(one.createdAtMs, one.id) < placeOf(other.createdAtMs, other.id) ? 1 : -1))
    .filter(({ id, createdAtMs }) => cursor === null || placeOf(createdAtMs, id) < cursor);
  const items = behind.slice(0, Math.min(limit, stopsAfter));
  const last = items.at(-1);
  const next = last !== undefined && items.length < behind.length ? placeOf(last.createdAtMs, last.id) : null;
  return { items, next };
}

function boardOf(disputes: readonly DisputeRecord[], alerts: readonly AlertRecord[], stopsAfter: () => number) {
  const disputeList: Disputes["list"] = async (_owner, { cursor, limit }) => pageOf(disputes, cursor, limit, stopsAfter());
  const alertList: Alerts["list"] = async (_owner, { cursor, limit }) => pageOf(alerts, cursor, limit, stopsAfter());
  return createDisputeBoard({
    disputes: { list: disputeList },
    alerts: {
      list: alertList,
      find: async (_owner, id) => alerts.find((one) => one.id === id) ?? null,
      ofPayment: async (_owner, uuid) => alerts.filter((one) => one.uuid === uuid),
    },
  });
}

async function idsOf(board: ReturnType<typeof boardOf>, query: BoardQuery): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < 200; pages += 1) {
    const page: Awaited<ReturnType<typeof board.list>> = await board.list(OWNER, { ...query, cursor });
    assert.ok(page.items.length <= query.limit);
    ids.push(...page.items.map((item) => (item.type === "dispute" ? item.dispute.id : item.alert.id)));
    if (page.next === null) return ids;
    cursor = page.next;
  }
  return assert.fail("the list does not end");
}

describe("the list of disputes and alerts", () => {
  it("returns each dispute and alert once, in one order, wherever its pages end", async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new Random(seed);
      const upTo = (max: number) => random.between(0, max - 1);
      const letters = () => String(upTo(36 ** 6)).padStart(24, "0");
      const disputes = Array.from({ length: upTo(12) }, () =>
        dispute("OPEN", { id: `dp_${letters()}`, createdAtMs: CREATED_MS + upTo(4) }),
      );
      const alerts = Array.from({ length: upTo(12) }, () => alert("PENDING", { id: `al_${letters()}`, createdAtMs: CREATED_MS + upTo(4) }));
      const board = boardOf(disputes, alerts, () => 1 + upTo(4));
      const expected = [...disputes, ...alerts]
        .map(({ id, createdAtMs }) => placeOf(createdAtMs, id))
        .toSorted()
        .toReversed()
        .map((place) => place.slice(13));
      assert.deepEqual(await idsOf(board, { ...ALL, limit: 1 + upTo(5) }), expected, `seed ${seed}`);
    }
  });

  it("includes only PENDING alerts, and only if they are requested", async () => {
    const alerts = [alert("PENDING"), alert("REFUNDED", { id: `al_${"0".repeat(23)}2` })];
    const one = dispute("OPEN");
    const board = boardOf([one], alerts, () => 100);
    const [pending] = alerts;
    const [dp, al] = [one.id, pending?.id ?? ""];
    for (const [query, expected] of [
      [{}, [dp, al]],
      [{ includeAlerts: false }, [dp]],
      [{ status: "ALERT" }, [al]],
      [{ status: "OPEN" }, [dp]],
      [{ stage: "CHARGEBACK" }, [dp]],
      [{ status: "ALERT", category: "DUPLICATE" }, []],
      [{ status: "ALERT", terminalId: "TML1" }, [al]],
      [{ status: "ALERT", currency: "EUR" }, [al]],
      [{ status: "ALERT", currency: "CHF" }, []],
      [{ status: "ALERT", q: ` ${al} ` }, [al]],
      [{ status: "ALERT", q: "pl_1.1" }, [al]],
      [{ status: "ALERT", q: "pl_2.1" }, []],
    ] as const) {
      assert.deepEqual((await idsOf(board, { ...ALL, ...query })).toSorted(), expected.toSorted(), JSON.stringify(query));
    }
  });
});

describe("dryRun", () => {
  const RULES = {
    ...{ enabled: false, currency: "EUR", dailyCountMax: 1, dailyAmountMaxMinor: 10_000 },
    rules: [{ id: "all", amountMaxMinor: 5_000, sources: null, categories: null, methods: null }],
  };
  const dayOf = (atMs: number) => String(Math.floor(atMs / 86_400_000));

  it("applies the limits of each day in the order in which alerts came", () => {
    const at = (number: number, createdAtMs: number, changes: Partial<AlertRecord> = {}) =>
      alert("DECLINED", { id: `al_${number}`, createdAtMs, ...changes });
    const day = 86_400_000;
    const newestFirst = [
      at(5, 2 * day),
      at(4, day + 3, { source: "RDR" }),
      at(3, day + 2),
      at(2, day + 1),
      at(1, day, { uuid: null }),
      at(0, day, { amountMinor: 5_001 }),
    ];
    assert.deepEqual(
      dryRun(RULES, newestFirst, dayOf).map(({ alert: { id }, rule, capped }) => [id, rule.id, capped]),
      [
        ["al_5", "all", false],
        ["al_3", "all", true],
        ["al_2", "all", false],
      ],
    );
  });
});
