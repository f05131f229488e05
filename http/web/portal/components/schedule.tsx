import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

export interface ScheduleEntry {
  key: string;
  /** The day and its month, in two short lines. */
  day: string;
  month?: string;
  what: ComponentChildren;
  note?: ComponentChildren;
  /** `done` has happened. `last` ends the schedule. */
  state: "done" | "to come" | "last";
}

/** Lists events by day, each beside a leaf of a calendar. */
export function Schedule({ label, done, entries }: { label: string; done: string; entries: readonly ScheduleEntry[] }) {
  return (
    <ol class="schedule" aria-label={label}>
      {entries.map(({ key, day, month, what, note, state }) => (
        <li key={key} class={state === "done" ? "schedule-done" : state === "last" ? "schedule-last" : undefined}>
          <p class="schedule-day">
            <span>{day}</span> {month !== undefined && <small>{month}</small>}
          </p>
          <div class="schedule-what">
            <p>{what}</p>
            {note !== undefined && <p class="schedule-note">{note}</p>}
          </div>
          {state === "done" && (
            <span class="schedule-check">
              <Icon name="check" size={18} />
              <span class="visually-hidden">{done}</span>
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
