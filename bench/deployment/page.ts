import { escaped } from "../../engine/kernel/escaped.ts";
import { lineFigure, type Series } from "../charts/line-chart.ts";
import { type Interval, type Latency, METRICS, type Metric } from "./measurements.ts";
import { doubtOf, isFine, type LoadResult, mebibytes } from "./result.ts";

const METRIC_NAMES = Object.keys(METRICS) as readonly Metric[];

/** How far a percentile is from 100, on a scale where each nine is as far from the next. */
const NINES = (percentile: number) => Math.min(4, -Math.log10(1 - percentile / 100));
const NINES_TICKS = [0, 50, 90, 99, 99.9, 99.99].map((percentile) => ({
  at: NINES(percentile),
  text: percentile === 99.99 ? "99.99+" : String(percentile),
}));

/** The page of a run: one file with everything in it, which nothing can be loaded into. */
export function pageOf(result: LoadResult): string {
  const { prefix, startedAt, seconds, stopped, options, payments } = result;
  const doubt = doubtOf(result);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(`Load ${prefix}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Load of ${escaped(options.url)}</h1>
<p>${escaped(`${startedAt}, ${options.scenario}: ${payments.due} requests due in ${seconds.toFixed(1)} s${stopped ? ", stopped early" : ""}, to ${options.terminals} terminals. Their uuids begin with ${prefix}`)}</p>
<p class="${isFine(result) ? "good" : "bad"}">${escaped(verdictOf(result))}</p>
${doubt === null ? "" : `<p class="bad">${escaped(doubt)}</p>`}
<h2>Invariants</h2>
${invariantTable(result)}
<h2>Latencies</h2>
${latencyTable(result)}
${percentiles(result)}
<h2>Over time</h2>
<p>Latencies stand where they ended, and count from when a payment was due, whenever it left.</p>
${METRIC_NAMES.map((metric) => overTime(result, metric)).join("\n")}
${throughput(result)}
${rolloutSection(result)}
<h2>Errors</h2>
${countTable("What clients were left with", result.errors)}
${kinds(result, "errors", "Errors by kind")}
${countTable("What was tried again, as clients are to do", result.retried)}
${kinds(result, "retried", "Tried again, by kind")}
<h2>The run</h2>
${factTable(result)}
</main>
</body>
</html>
`;
}

function verdictOf(result: LoadResult): string {
  if (isFine(result)) return "Everything that was sent came to its end, and nothing was lost or done twice.";
  const broken = result.invariants.filter(({ holds }) => !holds).map(({ name }) => name);
  const errors = Object.values(result.errors).reduce((sum, count) => sum + count, 0);
  return [...broken.map((name) => `Broken: ${name}.`), ...(errors === 0 ? [] : [`${errors} errors.`])].join(" ");
}

function invariantTable({ invariants }: LoadResult): string {
  const rows = invariants.map(({ name, meaning, holds, checked, broken, examples }) => [
    name,
    holds ? "holds" : `broken: ${broken}`,
    String(checked),
    holds ? meaning : `${meaning}. ${examples.join(", ")}`,
  ]);
  return table(["", "", "checked", "meaning"], rows);
}

function latencyTable({ latencies }: LoadResult): string {
  const rows = METRIC_NAMES.flatMap((metric) => {
    const latency = latencies[metric];
    if (latency === undefined) return [];
    const { count, mean, p50, p90, p99, p999, max } = latency;
    return [[metric, ...[count, mean, p50, p90, p99, p999, max].map(String), METRICS[metric]]];
  });
  return table(["ms", "count", "mean", "p50", "p90", "p99", "p99.9", "max", "what"], rows);
}

function percentiles({ latencies }: LoadResult): string {
  const series = METRIC_NAMES.flatMap((metric): Series[] => {
    const curve = latencies[metric]?.curve;
    return curve === undefined ? [] : [{ name: metric, points: curve.map(([percentile, ms]) => [NINES(percentile), ms] as const) }];
  });
  if (series.length === 0) return "";
  return lineFigure({ title: "Percentiles", series, xLabel: "percentile", yLabel: "ms", yScale: "log", xTicks: NINES_TICKS });
}

function overTime({ intervals }: LoadResult, metric: Metric): string {
  const points = (value: (latency: Latency) => number): Series["points"] =>
    intervals.flatMap(({ untilSeconds, latencies }) => {
      const latency = latencies[metric];
      return latency === undefined ? [] : [[untilSeconds, value(latency)] as const];
    });
  const series = (["max", "p99", "p90", "p50"] as const).map((name) => ({ name, points: points((latency) => latency[name]) }));
  if (series.every((one) => one.points.length === 0)) return "";
  return lineFigure({ title: `${metric}: ${METRICS[metric]}`, series, xLabel: "seconds", yLabel: "ms", yScale: "log" });
}

function throughput({ intervals, intervalSeconds }: LoadResult): string {
  if (intervals.length === 0) return "";
  const series: Series[] = [
    { name: "due", points: intervals.map(({ untilSeconds, due }) => [untilSeconds, due / intervalSeconds] as const) },
    {
      name: "accepted",
      points: intervals.map(({ untilSeconds, latencies }) => [untilSeconds, (latencies.pay?.count ?? 0) / intervalSeconds] as const),
    },
    {
      name: "results found",
      points: intervals.map(
        ({ untilSeconds, latencies }) =>
          [untilSeconds, ((latencies.whole?.count ?? 0) + (latencies.wholeSlow?.count ?? 0)) / intervalSeconds] as const,
      ),
    },
  ];
  return lineFigure({ title: "Requests a second", series, xLabel: "seconds", yLabel: "a second", yScale: "linear" });
}

function rolloutSection({ rollout, intervals, intervalSeconds }: LoadResult): string {
  if (rollout === null) return "";
  const { limits, bytes, bytesReceived, seconds, versionCode, ...counts } = rollout;
  const points = (value: (interval: Interval) => number): Series["points"] =>
    intervals.map((interval) => [interval.untilSeconds, value(interval) / intervalSeconds] as const);
  const steps = [
    { name: "deployed", points: points(({ latencies }) => latencies.deploy?.count ?? 0) },
    { name: "notified", points: points(({ latencies }) => latencies.notice?.count ?? 0) },
    { name: "downloaded", points: points(({ latencies }) => latencies.download?.count ?? 0) },
    { name: "installed", points: points(({ latencies }) => latencies.installed?.count ?? 0) },
  ];
  const received = [{ name: "MiB", points: points(({ receivedBytes = 0 }) => Number(mebibytes(receivedBytes))) }];
  const facts = {
    version: versionCode,
    "package, MiB": mebibytes(bytes),
    "received by all, MiB": mebibytes(bytesReceived),
    "seconds from the first deployment to the last install": seconds === null ? "" : seconds.toFixed(1),
    ...counts,
    ...limits,
  };
  return [
    "<h2>Roll-out</h2>",
    lineFigure({ title: "Terminals a second", series: steps, xLabel: "seconds", yLabel: "a second", yScale: "linear" }),
    lineFigure({ title: "Packages, MiB a second", series: received, xLabel: "seconds", yLabel: "MiB a second", yScale: "linear" }),
    table(
      ["", ""],
      Object.entries(facts).map(([name, value]) => [name, String(value)]),
    ),
  ].join("\n");
}

function kinds({ intervals, intervalSeconds }: LoadResult, which: "errors" | "retried", title: string): string {
  const names = [...new Set(intervals.flatMap((interval) => Object.keys(interval[which])))];
  if (names.length === 0) return "";
  const series = names.map((name) => ({
    name,
    points: intervals.map((interval) => [interval.untilSeconds, interval[which][name] ?? 0] as const),
  }));
  return lineFigure({ title, series, xLabel: "seconds", yLabel: "count", yScale: "linear", barWidth: intervalSeconds });
}

function countTable(title: string, counts: { [kind: string]: number }): string {
  const rows = Object.entries(counts).map(([kind, count]) => [kind, String(count)]);
  return rows.length === 0 ? `<p>${escaped(title)}: nothing.</p>` : `<p>${escaped(title)}:</p>${table(["kind", "count"], rows)}`;
}

function factTable({ options, allowed, payments, storms, generator }: LoadResult): string {
  const facts = { ...options, ...allowed, ...payments, storms, ...generator };
  return table(
    ["", ""],
    Object.entries(facts).map(([name, value]) => [name, String(value)]),
  );
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: "td" | "th") => row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("");
  return `<div class="wide"><table><thead><tr>${cells(heads, "th")}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("")}</tbody></table></div>`;
}

const STYLE = `
:root { --ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --back: #ffffff; --good: #116329; --bad: #b3261e;
  --c0: #b3261e; --c1: #d97706; --c2: #2563eb; --c3: #15803d; --c4: #7c3aed; --c5: #0e7490; --c6: #be185d; --c7: #57534e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af; --line: #30363d; --back: #0d1117; --good: #56d364; --bad: #ff7b72;
  --c0: #ff7b72; --c1: #f0b429; --c2: #79b8ff; --c3: #56d364; --c4: #c4a7ff; --c5: #56d4dd; --c6: #ff9bce; --c7: #b1aca6; } }
body { margin: 0; background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 900px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 24px; overflow-wrap: anywhere; } h2 { margin-top: 40px; font-size: 19px; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 500; }
figure { margin: 28px 0; } figcaption { font-weight: 600; } svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 12px; } .grid { stroke: var(--line); stroke-width: 1; }
polyline { fill: none; stroke-width: 1.6; stroke-linejoin: round; } polyline.again { stroke-dasharray: 6 4; }
.legend { margin: 4px 0 0; color: var(--soft); } .legend span { margin-right: 14px; white-space: nowrap; }
.legend i { display: inline-block; width: 12px; height: 12px; margin-right: 5px; border-radius: 2px; vertical-align: -1px; }
i.again { mask: repeating-linear-gradient(90deg, #000 0 3px, transparent 3px 5px); }
${Array.from({ length: 8 }, (_, index) => `polyline.s${index} { stroke: var(--c${index}); } circle.s${index}, rect.s${index} { fill: var(--c${index}); } i.s${index} { background: var(--c${index}); }`).join("\n")}
`;
