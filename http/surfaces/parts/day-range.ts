import { RelayError } from "../../../engine/kernel/errors.ts";
import { FIRST_DAY, LAST_DAY } from "./day.ts";
import type { LocalTime } from "./local-time.ts";

/** First millisecond of a day of the query, and the first of the next. Throws RelayError `invalid_request`. */
export function dayOfQuery(member: string, day: string, localTime: LocalTime): { fromMs: number; untilMs: number } {
  const range = day < FIRST_DAY || day > LAST_DAY ? null : localTime.dayRange(day);
  if (range === null) throw new RelayError("invalid_request", `${member}: is not a day of the calendar from ${FIRST_DAY} to ${LAST_DAY}`);
  return range;
}

/** The range of `from` and `to`, both included; open where one is absent. Throws RelayError `invalid_request`. */
export function rangeOfQuery(query: { from?: string; to?: string }, localTime: LocalTime): { fromMs?: number; untilMs?: number } {
  const { from, to } = query;
  if (from !== undefined && to !== undefined && from > to) throw new RelayError("invalid_request", "from: is after to");
  return {
    ...(from === undefined ? {} : { fromMs: dayOfQuery("from", from, localTime).fromMs }),
    ...(to === undefined ? {} : { untilMs: dayOfQuery("to", to, localTime).untilMs }),
  };
}
