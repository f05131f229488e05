import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { addDays, addMonths, type Day, firstOfMonth, formatDay, formatMonth, formatWeekday, today } from "../i18n/days.ts";
import { text } from "../i18n/texts.ts";
import { IconButton } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

const WEEK_DAYS = 7;

/**
 * Chooses a day of a month. Arrow keys move by days and weeks, Home and End within the week, Page
 * Up and Page Down by months, with Shift by years. Weeks start on Monday.
 */
export function Calendar({
  title,
  value,
  max,
  onChoose,
  onClose,
}: {
  title: string;
  /** The chosen day; empty for none. */
  value: string;
  max: Day | undefined;
  onChoose: (day: Day) => void;
  onClose: () => void;
}) {
  const { fields } = text();
  const clamped = (day: Day): Day => (max !== undefined && day > max ? max : day);
  const [at, setAt] = useState<Day>(value === "" ? clamped(today()) : value);
  const table = useRef<HTMLTableElement>(null);
  const moved = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the day.
  useLayoutEffect(() => {
    if (moved.current) table.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    moved.current = false;
  }, [at]);
  const move = (key: string, isShift: boolean): boolean => {
    const weekday = weekdayOf(at);
    const moves: Readonly<Record<string, Day>> = {
      ArrowLeft: addDays(at, -1),
      ArrowRight: addDays(at, 1),
      ArrowUp: addDays(at, -WEEK_DAYS),
      ArrowDown: addDays(at, WEEK_DAYS),
      Home: addDays(at, -weekday),
      End: addDays(at, WEEK_DAYS - 1 - weekday),
      PageUp: addMonths(at, isShift ? -12 : -1),
      PageDown: addMonths(at, isShift ? 12 : 1),
    };
    const to = moves[key];
    if (to === undefined) return false;
    moved.current = true;
    setAt(clamped(to));
    return true;
  };
  const isLastMonth = max !== undefined && firstOfMonth(at) >= firstOfMonth(max);
  return (
    <Dialog title={title} unsaved={null} onClose={onClose}>
      <div class="calendar">
        <div class="calendar-head">
          <IconButton icon="chevronLeft" label={fields.monthBefore} onClick={() => setAt(addMonths(at, -1))} />
          <p role="status">{formatMonth(at)}</p>
          <IconButton
            icon="chevronRight"
            label={fields.monthAfter}
            disabled={isLastMonth}
            onClick={() => setAt(clamped(addMonths(at, 1)))}
          />
        </div>
        <table ref={table} aria-label={formatMonth(at)} onKeyDown={(event) => move(event.key, event.shiftKey) && event.preventDefault()}>
          <thead>
            <tr>
              {weeksOf(at)[0]?.map((day) => (
                <th key={day} scope="col" abbr={formatWeekday(day, "long")}>
                  {formatWeekday(day, "short")}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeksOf(at).map((week) => (
              <tr key={week[0]}>
                {week.map((day) => (
                  <td key={day}>
                    {day.slice(0, 7) === at.slice(0, 7) && (
                      <button
                        type="button"
                        aria-label={formatDay(day)}
                        aria-pressed={day === value}
                        aria-current={day === today() ? "date" : undefined}
                        disabled={max !== undefined && day > max}
                        tabIndex={day === at ? 0 : -1}
                        data-autofocus={day === at ? "" : undefined}
                        onClick={() => onChoose(day)}
                      >
                        {Number(day.slice(8))}
                      </button>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}

/** Returns 0 for Monday. */
function weekdayOf(day: Day): number {
  return (new Date(`${day}T12:00:00Z`).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
}

/** Returns the weeks of a day's month, from Monday to Sunday. */
function weeksOf(at: Day): Day[][] {
  const first = firstOfMonth(at);
  const next = firstOfMonth(at, 1);
  const weeks: Day[][] = [];
  for (let monday = addDays(first, -weekdayOf(first)); monday < next; monday = addDays(monday, WEEK_DAYS)) {
    weeks.push(Array.from({ length: WEEK_DAYS }, (_, index) => addDays(monday, index)));
  }
  return weeks;
}
