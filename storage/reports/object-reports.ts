import {
  type DisputeCategoryFigures,
  type DisputeFigures,
  type LinkCreatorFigures,
  type LinkFigures,
  type LinkSums,
  type ObjectQuery,
  REPORT_LINES_MAX,
} from "../../engine/reports/merchant-reports.ts";
import { LATEST_MS } from "../feed/row-binary.ts";
import { objectsOf } from "../transactions/newest-rows.ts";
import {
  type Asking,
  bucketOf,
  byCurrency,
  type Counted,
  GROUPED_BUCKET,
  type Grouped,
  groupedBy,
  inBuckets,
  rangeOfEdges,
  startsOf,
} from "./buckets.ts";
import { filterOf, paymentSums } from "./payment-reports.ts";

const MINUTE_MS = 60_000;

const LINK_SUMS = `count() AS created, sum(amount_minor) AS createdMinor, countIf(state = 'PAID') AS paid, sumIf(amount_minor, state = 'PAID') AS paidMinor,
  countIf(state = 'CANCELLED') AS cancelled, countIf(state = 'EXPIRED') AS expired`;

interface LinkRow extends LinkSums {
  startMs: number | null;
  ofCreator: string | null;
  late: number;
  pending: number;
  medianMs: number | null;
}

function linkSumsOf({ currency, created, createdMinor, paid, paidMinor, cancelled, expired }: LinkSums): LinkSums {
  return { currency, created, createdMinor, paid, paidMinor, cancelled, expired };
}

/** Sorts the largest number first. */
function byCreated(one: LinkSums, other: LinkSums): number {
  return other.created - one.created || other.createdMinor - one.createdMinor || byCurrency(one, other);
}

export async function linksReport(asking: Asking, { edges, currency }: ObjectQuery): Promise<Counted<"links">> {
  const columns = ["currency", "category", "state", "reason", "amount_minor", "created_ms", "ended_ms"] as const;
  const source = objectsOf(asking.owner, columns, { kinds: ["link"], currency, ...rangeOfEdges(edges) }, asking.waiting);
  const rows = await asking.ask<LinkRow>({
    text: `SELECT currency, ${GROUPED_BUCKET}, ${groupedBy("category", "ofCreator")}, ${LINK_SUMS},
        countIf(state = 'PAID' AND reason = 'late') AS late, countIf(state = 'PENDING') AS pending,
        if(countIf(took IS NOT NULL) = 0, NULL, quantileExactLowIf(0.5)(assumeNotNull(took), took IS NOT NULL)) AS medianMs
      FROM (
        SELECT currency, category, state, reason, amount_minor, if(state = 'PAID', greatest(ended_ms - created_ms, 0), NULL) AS took,
          ${bucketOf("created_ms")} AS bucket
        FROM ${source.text}
      )
      GROUP BY GROUPING SETS ((currency), (currency, bucket), (currency, category))`,
    parameters: { ...source.parameters, ...startsOf(edges) },
  });
  const figuresOf = (row: LinkRow): LinkFigures => {
    const { late, pending, medianMs } = row;
    return { ...linkSumsOf(row), late, pending, medianMinutesToPay: medianMs === null ? null : inTenths(medianMs / MINUTE_MS) };
  };
  const creators = rows.flatMap((row): LinkCreatorFigures[] =>
    row.ofCreator === null ? [] : [{ ...linkSumsOf(row), creator: row.ofCreator }],
  );
  return {
    ...inBuckets(
      edges,
      rows.filter(({ ofCreator }) => ofCreator === null),
      figuresOf,
    ),
    creators: creators.sort(byCreated).slice(0, REPORT_LINES_MAX),
  };
}

export async function agentsReport(asking: Asking, { edges, currency }: ObjectQuery): Promise<Counted<"agents">> {
  const filter = { kinds: ["link"], currency, category: "agent", ...rangeOfEdges(edges) } as const;
  const source = objectsOf(asking.owner, ["currency", "parent", "state", "amount_minor", "created_ms"], filter, asking.waiting);
  const rows = await asking.ask<Grouped & LinkSums & { ofCredential: string | null }>({
    text: `SELECT currency, ${GROUPED_BUCKET}, ${groupedBy("parent", "ofCredential")}, ${LINK_SUMS}
      FROM (SELECT currency, parent, state, amount_minor, ${bucketOf("created_ms")} AS bucket FROM ${source.text})
      GROUP BY GROUPING SETS ((currency), (currency, bucket), (currency, parent))
      ORDER BY ofCredential IS NOT NULL, created DESC LIMIT ${REPORT_LINES_MAX + 50_000}`,
    parameters: { ...source.parameters, ...startsOf(edges) },
  });
  const credentials = rows.flatMap((row) => (row.ofCredential === null ? [] : [{ ...linkSumsOf(row), credentialId: row.ofCredential }]));
  return {
    ...inBuckets(
      edges,
      rows.filter(({ ofCredential }) => ofCredential === null),
      linkSumsOf,
    ),
    credentials: credentials.sort(byCreated).slice(0, REPORT_LINES_MAX),
  };
}

type DisputeRow = Grouped &
  Omit<DisputeFigures, "cardPayments" | "cardVolumeMinor"> & {
    ofCategory: string | null;
  };

export async function disputesReport(asking: Asking, query: ObjectQuery): Promise<Counted<"disputes">> {
  const { edges, currency } = query;
  const range = rangeOfEdges(edges);
  const columns = ["object", "id", "currency", "category", "state", "reason", "amount_minor", "created_ms"] as const;
  const received = objectsOf(asking.owner, columns, { kinds: ["dispute", "alert"], currency, ...range }, asking.waiting);
  // A dispute follows its alert, perhaps after the range.
  const after = objectsOf(
    asking.owner,
    ["parent"],
    { kinds: ["dispute"], fromMs: range.fromMs, untilMs: LATEST_MS },
    asking.waiting,
    "after",
  );
  const rows = await asking.ask<DisputeRow>({
    text: `SELECT currency, ${GROUPED_BUCKET}, ${groupedBy("ofDispute", "ofCategory")},
        countIf(isDispute) AS received, sumIf(amount_minor, isDispute) AS receivedMinor, countIf(isDispute AND state = 'WON') AS won,
        countIf(isDispute AND state = 'LOST') AS lost, countIf(isDispute AND state = 'EXPIRED') AS expired,
        countIf(NOT isDispute) AS alerts, sumIf(amount_minor, NOT isDispute) AS alertsMinor,
        countIf(NOT isDispute AND state = 'REFUNDED') AS alertsRefunded, countIf(NOT isDispute AND state = 'PREVENTED') AS alertsPrevented,
        countIf(NOT isDispute AND state = 'DECLINED' AND reason != 'invalid') AS alertsDeclined,
        countIf(NOT isDispute AND state = 'DECLINED' AND reason = 'invalid') AS alertsInvalid,
        countIf(NOT isDispute AND isEscalated) AS alertsEscalated
      FROM (
        SELECT currency, state, reason, amount_minor, object = 'dispute' AS isDispute, if(isDispute, toString(category), '') AS ofDispute,
          id IN (SELECT parent FROM ${after.text} WHERE parent != '') AS isEscalated, ${bucketOf("created_ms")} AS bucket
        FROM ${received.text}
      )
      GROUP BY GROUPING SETS ((currency), (currency, bucket), (currency, ofDispute))`,
    parameters: { ...received.parameters, ...after.parameters, ...startsOf(edges) },
  });
  const paid = await paymentSums(asking, { ...filterOf(query), method: "CARD", status: "OK" }, edges);
  const cards = new Map(paid.map((row) => [`${row.startMs} ${row.currency}`, row]));
  const ofTime = rows.filter(({ ofCategory }) => ofCategory === null);
  const found = new Set(ofTime.map(({ startMs, currency: one }) => `${startMs} ${one}`));
  const onlyPaid = paid
    .filter((row) => !found.has(`${row.startMs} ${row.currency}`))
    .map((row) => ({ ...NO_DISPUTES, ...row, ofCategory: null }));
  return {
    ...inBuckets(edges, [...ofTime, ...onlyPaid], (row): DisputeFigures => {
      const { ok = 0, volume = 0 } = cards.get(`${row.startMs} ${row.currency}`) ?? {};
      const { alerts, alertsMinor, alertsRefunded, alertsPrevented, alertsDeclined, alertsInvalid, alertsEscalated } = row;
      return {
        ...{ ...outcomesOf(row), cardPayments: ok, cardVolumeMinor: volume },
        ...{ alerts, alertsMinor, alertsRefunded, alertsPrevented, alertsDeclined, alertsInvalid, alertsEscalated },
      };
    }),
    categories: rows
      .flatMap((row): DisputeCategoryFigures[] => (row.ofCategory ? [{ ...outcomesOf(row), category: row.ofCategory }] : []))
      .sort((one, other) => other.received - one.received || other.receivedMinor - one.receivedMinor || byCurrency(one, other))
      .slice(0, REPORT_LINES_MAX),
  };
}

const NO_DISPUTES = {
  ...{ received: 0, receivedMinor: 0, won: 0, lost: 0, expired: 0 },
  ...{ alerts: 0, alertsMinor: 0, alertsRefunded: 0, alertsPrevented: 0, alertsDeclined: 0, alertsInvalid: 0, alertsEscalated: 0 },
};

function outcomesOf({ currency, received, receivedMinor, won, lost, expired }: Omit<DisputeCategoryFigures, "category">) {
  return { currency, received, receivedMinor, won, lost, expired };
}

/** A median of times is accurate to one decimal at most. */
export function inTenths(value: number): number {
  return Math.round(value * 10) / 10;
}
