/** ClickHouse's dates end in 2149; a day beyond either end would be another one there. */
export const FIRST_DAY = "1970-01-02";
export const LAST_DAY = "2148-12-31";

/** A day of a query, as far as a pattern can tell it. That a month has the day is looked up. */
export const DAY = {
  pattern: "^(?:19[7-9][0-9]|20[0-9]{2}|21[0-3][0-9]|214[0-8])-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$",
  examples: ["2026-11-26"],
  errorMessage: `is not a day of the calendar from ${FIRST_DAY} to ${LAST_DAY}`,
};

/** Whether a text of this form is a day of the calendar, in the range. */
export function isCalendarDay(day: string): boolean {
  return day >= FIRST_DAY && day <= LAST_DAY && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
