import { formatDate, formatDateTime, formatExactTime, formatTime } from "../i18n/format.ts";

const FORMATS = { date: formatDate, time: formatTime, dateTime: formatDateTime, exact: formatExactTime } as const;

/** A time of the installation's time zone; the exact one with the zone's name when the mouse rests on it. */
export function Time({ at, as = "dateTime" }: { at: string; as?: keyof typeof FORMATS }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {FORMATS[as](at)}
    </time>
  );
}
