import { formatDate, formatDateTime, formatExactTime, formatTime } from "../i18n/format.ts";

const FORMATS = { date: formatDate, time: formatTime, dateTime: formatDateTime, exact: formatExactTime } as const;

/** Shows a time in the installation's time zone. Hovering shows the exact time and the zone. */
export function Time({ at, as = "dateTime" }: { at: string; as?: keyof typeof FORMATS }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {FORMATS[as](at)}
    </time>
  );
}
