import type { Caller } from "../../../../engine/access/caller.ts";
import type { ReportKinds, ReportName } from "../../../../engine/reports/merchant-reports.ts";
import type { RequestFacts } from "../../../endpoint/endpoint.ts";
import { iso } from "../../../endpoint/time.ts";
import type { LocalTime } from "../../parts/time.ts";
import { merchantOwnerOf } from "../surface.ts";
import { edgesOf, withOffset } from "./buckets.ts";
import { type Period, type PeriodQuery, periodsOf } from "./periods.ts";
import type { AnalyticsOperations } from "./surface.ts";

/**
 * Answers a report about the days of a query and about the period that it is compared with. All
 * reports have this form.
 */
export async function answerReport<Name extends ReportName, Members extends object>(
  { merchantReports, localTime, clock }: Pick<AnalyticsOperations, "merchantReports" | "localTime" | "clock">,
  { caller, query, request: { gone } }: { caller: Caller; query: PeriodQuery; request: RequestFacts },
  name: Name,
  definitions: { readonly [figure: string]: string },
  {
    queryOf,
    membersOf,
  }: {
    queryOf(period: Period): ReportKinds[Name]["query"];
    membersOf(report: ReportKinds[Name]["report"], period: Period): Members;
  },
) {
  const owner = merchantOwnerOf(caller);
  const { period, before } = periodsOf(query, clock.nowMs(), localTime);
  const counted = async (one: Period) => {
    const report = await merchantReports.report(name, owner, queryOf(one), gone);
    return { asOfMs: report.asOfMs, json: { from: one.from, to: one.to, ...membersOf(report, one) } };
  };
  const [asked, compared] = await Promise.all([counted(period), before === null ? null : counted(before)]);
  return {
    ...asked.json,
    previous: compared === null ? null : compared.json,
    timeZone: localTime.zone,
    asOf: iso(Math.min(asked.asOfMs, compared?.asOfMs ?? asked.asOfMs)),
    definitions,
  };
}

/** Returns the filters of a query, over the buckets of the period. */
export function overPeriod(
  { currency, terminalId, method }: Omit<ReportQueryOf<"payments">, "edges">,
  period: Period,
): ReportQueryOf<"payments"> {
  return {
    edges: edgesOf(period.buckets),
    ...(currency === undefined ? {} : { currency }),
    ...(terminalId === undefined ? {} : { terminalId }),
    ...(method === undefined ? {} : { method }),
  };
}

type ReportQueryOf<Name extends ReportName> = ReportKinds[Name]["query"];

interface SeriesParts<Figures, Json> {
  period: Period;
  localTime: LocalTime;
  /** The figures of each bucket. */
  buckets: readonly (readonly Figures[])[];
  totals: readonly Figures[];
  /** Returns a key that distinguishes the figures of one bucket. */
  keyOf(figures: Figures): string;
  /** Returns zeros with the same key. */
  nothing(like: Figures): Figures;
  json(figures: Figures, all: readonly Figures[]): Json;
}

/**
 * Returns the points of a period and the totals. Each point has figures for every key in the
 * totals.
 */
export function seriesOf<Figures, Json>({ period, localTime, buckets, totals, keyOf, nothing, json }: SeriesParts<Figures, Json>) {
  return {
    granularity: period.granularity,
    series: period.buckets.map((bucket, index) => {
      const found = new Map((buckets[index] ?? []).map((figures) => [keyOf(figures), figures]));
      const all = totals.map((like) => found.get(keyOf(like)) ?? nothing(like));
      return { ...pointOf(bucket, localTime), figures: all.map((figures) => json(figures, all)) };
    }),
    totals: totals.map((figures) => json(figures, totals)),
  };
}

function pointOf({ fromMs, untilMs, from, to }: Period["buckets"][number], localTime: LocalTime) {
  return { start: withOffset(fromMs, localTime), end: withOffset(untilMs, localTime), from, to };
}
