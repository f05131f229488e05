const DAY_MS = 86_400_000;

/** An interval, by its local begin and its first day. */
interface Interval {
  start: string;
  from: string;
}

interface Period<Point> {
  from: string;
  series: readonly Point[];
}

/**
 * What each interval of a period stands against in the one before, null where that has none: days, weeks and months in their order, hours by the clock. A day on which clocks change has
 * 23 or 25 hours, and all after the change would stand against another hour.
 */
export function earlierOf<Point extends Interval>(granularity: string, now: Period<Interval>, before: Period<Point>): (Point | null)[] {
  if (granularity !== "hour") return now.series.map((_, index) => before.series[index] ?? null);
  const names = clockNames(before);
  const places = new Map(before.series.map((point, index) => [names[index], point]));
  return clockNames(now).map((name) => places.get(name) ?? null);
}

/** The day's number and the hour of the clock; of an hour that comes twice which of the two it is. */
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
