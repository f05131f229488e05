const DAY_MS = 86_400_000;

/** An interval with its local start and its first day. */
interface Interval {
  start: string;
  from: string;
}

interface Period<Point> {
  from: string;
  series: readonly Point[];
}

/**
 * Returns the interval of the previous period that each interval is compared with; null if there is
 * none. Days, weeks and months are matched by order and hours by the clock. On a day with 23 or 25
 * hours, a match by order would shift all hours after the change.
 */
export function earlierOf<Point extends Interval>(granularity: string, now: Period<Interval>, before: Period<Point>): (Point | null)[] {
  if (granularity !== "hour") return now.series.map((_, index) => before.series[index] ?? null);
  const names = clockNames(before);
  const places = new Map(before.series.map((point, index) => [names[index], point]));
  return clockNames(now).map((name) => places.get(name) ?? null);
}

/**
 * Names each hour by the number of its day and by the clock. A counter distinguishes two hours with
 * the same clock time.
 */
function clockNames({ from, series }: Period<Interval>): string[] {
  const times = new Map<string, number>();
  return series.map((point) => {
    const day = Math.round((Date.parse(point.from) - Date.parse(from)) / DAY_MS);
    const name = `${day} ${point.start.slice("YYYY-MM-DDT".length, "YYYY-MM-DDTHH:MM".length)}`;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return `${name} ${time}`;
  });
}
