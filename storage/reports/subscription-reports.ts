import type { ObjectQuery, SubscriptionFigures } from "../../engine/reports/merchant-reports.ts";
import { LINK_OVERDUE_MS } from "../../engine/subscriptions/subscription.ts";
import { LATEST_MS } from "../feed/row-binary.ts";
import { objectsOf } from "../transactions/newest-rows.ts";
import { type Asking, bucketOf, type Counted, GROUPED_BUCKET, type Grouped, rangeOfEdges, startsOf } from "./buckets.ts";
import { inTenths } from "./object-reports.ts";

const DAY_MS = 86_400_000;

/**
 * A cycle is retried for some weeks at most. The first failure is searched this far before the
 * range.
 */
const CYCLE_MS_MAX = 400 * DAY_MS;

/**
 * The lower part of a row's version is the time of its latest change
 * (engine/payments/object-row.ts, `objectVersion`).
 */
const VERSION_TIMES = 2 ** 42;

/**
 * The time at which the outcome of an attempt first became known; null if it did not fail or is
 * unknown.
 */
const FAILED_MS = `multiIf(reason = 'overdue', toNullable(created_ms + ${LINK_OVERDUE_MS}), state = 'failed' AND reason IN ('hard', 'soft'), ended_ms, NULL)`;
const PAID_MS = "if(state = 'paid', ended_ms, NULL)";

/**
 * The subscriptions that started or stopped in a bucket; `place` is -1 before the range. Stops have
 * a `kind`.
 */
interface MoveRow {
  currency: string;
  kind: "start" | "voluntary" | "dunning" | "other";
  place: number;
  subscriptions: number;
  monthlyMinor: number;
}

interface CyclesRow extends Grouped {
  failed: number;
  recovered: number;
  medianMs: number | null;
}

/**
 * Reports monthly recurring revenue, which counts ACTIVE and PAST_DUE subscriptions. A subscription
 * has one row with its current state, so its active time is derived from its charges. It starts
 * with the first paid or failed charge, after a trial. It ends with a cancellation, or with a pause
 * that still lasts. An ended pause leaves no trace.
 */
export async function subscriptionsReport(asking: Asking, query: ObjectQuery): Promise<Counted<"subscriptions">> {
  const { edges } = query;
  const moves = await movesOf(asking, query);
  const cycles = await cyclesOf(asking, query);
  const currencies = [...new Set([...moves, ...cycles].map(({ currency }) => currency))].sort();
  const buckets: SubscriptionFigures[][] = edges.slice(1).map(() => []);
  const totals: SubscriptionFigures[] = [];
  for (const currency of currencies) {
    const own = moves.filter((move) => move.currency === currency);
    const before = own.filter(({ place }) => place < 0);
    let [active, mrrMinor] = [netOf(before, "subscriptions"), netOf(before, "monthlyMinor")];
    const whole = { activeBefore: active, mrrBeforeMinor: mrrMinor };
    for (const [index, bucket] of buckets.entries()) {
      const inIt = own.filter(({ place }) => place === index);
      const [activeBefore, mrrBeforeMinor] = [active, mrrMinor];
      active += netOf(inIt, "subscriptions");
      mrrMinor += netOf(inIt, "monthlyMinor");
      const cycle = cycles.find((one) => one.currency === currency && one.startMs === edges[index]);
      bucket.push({ currency, active, mrrMinor, activeBefore, mrrBeforeMinor, ...movedIn(inIt), ...cyclesIn(cycle) });
    }
    const inRange = own.filter(({ place }) => place >= 0 && place < buckets.length);
    const all = cycles.find((one) => one.currency === currency && one.startMs === null);
    totals.push({ currency, active, mrrMinor, ...whole, ...movedIn(inRange), ...cyclesIn(all) });
  }
  return { buckets, totals };
}

type Moved = "subscriptions" | "monthlyMinor";

function sumOf(moves: readonly MoveRow[], kinds: readonly MoveRow["kind"][], member: Moved): number {
  return moves.reduce((sum, move) => sum + (kinds.includes(move.kind) ? move[member] : 0), 0);
}

function netOf(moves: readonly MoveRow[], member: Moved): number {
  return sumOf(moves, ["start"], member) - sumOf(moves, ["voluntary", "dunning", "other"], member);
}

function movedIn(moves: readonly MoveRow[]) {
  return {
    started: sumOf(moves, ["start"], "subscriptions"),
    startedMrrMinor: sumOf(moves, ["start"], "monthlyMinor"),
    churnedVoluntary: sumOf(moves, ["voluntary"], "subscriptions"),
    churnedVoluntaryMrrMinor: sumOf(moves, ["voluntary"], "monthlyMinor"),
    churnedDunning: sumOf(moves, ["dunning"], "subscriptions"),
    churnedDunningMrrMinor: sumOf(moves, ["dunning"], "monthlyMinor"),
  };
}

function cyclesIn(row: CyclesRow | undefined) {
  const { failed = 0, recovered = 0, medianMs = null } = row ?? {};
  return { failedCycles: failed, recoveredCycles: recovered, medianDaysToRecover: medianMs === null ? null : inTenths(medianMs / DAY_MS) };
}

/** Returns the starts and stops of active subscriptions. */
function movesOf(asking: Asking, { edges, currency }: ObjectQuery): Promise<MoveRow[]> {
  const { fromMs, untilMs } = rangeOfEdges(edges);
  const columns = ["id", "version", "state", "reason", "currency", "active_ms", "ended_ms", "monthly_minor"] as const;
  const subscriptions = objectsOf(asking.owner, columns, { kinds: ["subscription"], currency, fromMs: 0, untilMs }, asking.waiting);
  // Includes charges after the range, because they show that a subscription that is ACTIVE now was
  // in its trial then.
  const charges = objectsOf(
    asking.owner,
    ["parent", "state", "reason", "created_ms", "ended_ms"],
    { kinds: ["charge"], currency, fromMs: 0, untilMs: LATEST_MS },
    asking.waiting,
    "charges",
  );
  return asking.ask<MoveRow>({
    text: `SELECT currency, tupleElement(move, 1) AS kind, tupleElement(move, 2) AS place, count() AS subscriptions, sum(monthly_minor) AS monthlyMinor
      FROM (
        SELECT currency, monthly_minor, arrayJoin(arrayFilter(one -> tupleElement(one, 1) != '', [
          ('start', ${placeOf("startMs")}),
          (multiIf(stopMs IS NULL, '', state = 'PAUSED', 'other', stopReason = 'dunning', 'dunning', stopReason IN ('merchant', 'customer'), 'voluntary', 'other'),
            ${placeOf("stopMs")})
        ])) AS move
        FROM (
          SELECT currency, monthly_minor, state, reason AS stopReason,
            multiIf(known.firstMs IS NOT NULL, greatest(active_ms, known.firstMs), state IN ('ACTIVE', 'PAST_DUE'), active_ms, NULL) AS startMs,
            multiIf(state = 'CANCELLED', ended_ms, state = 'PAUSED', toNullable(toInt64(version % ${VERSION_TIMES})), NULL) AS stopMs
          FROM ${subscriptions.text} AS subscriptions
          LEFT JOIN (
            SELECT parent, min(coalesce(${FAILED_MS}, ${PAID_MS})) AS firstMs FROM ${charges.text} GROUP BY parent
          ) AS known ON known.parent = subscriptions.id
          WHERE active_ms IS NOT NULL
        )
        WHERE startMs IS NOT NULL AND startMs < {untilMs:Int64} AND (stopMs IS NULL OR stopMs >= startMs)
      )
      WHERE place < {places:Int32}
      GROUP BY currency, kind, place`,
    parameters: { ...subscriptions.parameters, ...charges.parameters, ...startsOf(edges), fromMs, untilMs, places: edges.length - 1 },
  });
}

/**
 * Returns the number of a bucket from 0; -1 before the first, and the number of buckets after the
 * last.
 */
function placeOf(time: string): string {
  return `multiIf(${time} < {fromMs:Int64}, -1, ${time} >= {untilMs:Int64}, {places:Int32}, toInt32(indexOf({starts:Array(Int64)}, ${bucketOf(`assumeNotNull(${time})`)})) - 1)`;
}

/** Returns the cycles whose first failure is in the range. */
function cyclesOf(asking: Asking, { edges, currency }: ObjectQuery): Promise<CyclesRow[]> {
  const { fromMs, untilMs } = rangeOfEdges(edges);
  const columns = ["id", "currency", "state", "reason", "attempt", "created_ms", "ended_ms"] as const;
  // Their outcomes become known later. A charge that failed in the range was requested before its
  // end, but its retries may follow.
  const source = objectsOf(
    asking.owner,
    columns,
    { kinds: ["charge"], currency, fromMs: fromMs - CYCLE_MS_MAX, untilMs: untilMs + CYCLE_MS_MAX },
    asking.waiting,
  );
  return asking.ask<CyclesRow>({
    text: `SELECT currency, ${GROUPED_BUCKET}, count() AS failed, countIf(recoveredMs IS NOT NULL) AS recovered,
        if(recovered = 0, NULL, quantileExactLowIf(0.5)(assumeNotNull(recoveredMs), recoveredMs IS NOT NULL)) AS medianMs
      FROM (
        SELECT currency, ${bucketOf("assumeNotNull(failedMs)")} AS bucket, if(paidMs >= failedMs, paidMs - failedMs, NULL) AS recoveredMs
        FROM (
          SELECT currency, replaceRegexpOne(id, '-[0-9]+$', '') AS ofCycle, min(${FAILED_MS}) AS failedMs, min(${PAID_MS}) AS paidMs
          FROM ${source.text}
          WHERE state = 'failed' OR reason = 'overdue' OR (state = 'paid' AND attempt > 1)
          GROUP BY currency, ofCycle
        )
        WHERE failedMs >= {fromMs:Int64} AND failedMs < {untilMs:Int64}
      )
      GROUP BY GROUPING SETS ((currency), (currency, bucket))`,
    parameters: { ...source.parameters, ...startsOf(edges), fromMs, untilMs },
  });
}
