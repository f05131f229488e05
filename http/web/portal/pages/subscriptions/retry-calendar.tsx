import type { SubscriptionDetailJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { Schedule, type ScheduleEntry } from "../../components/schedule.tsx";
import { calendarDay } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";

/** Shows the past and coming retries of the failed payment, day by day. */
export function RetryCalendar({ subscription }: { subscription: SubscriptionDetailJson }) {
  const { subscriptions: words } = text();
  const { state, dunning } = subscription;
  if (state !== "PAST_DUE" || dunning === null) return null;
  return (
    <section class="stack">
      <div>
        <h3>{words.retries}</h3>
        {!dunning.stays && <p class="muted">{words.retriesText}</p>}
      </div>
      <Schedule label={words.retries} done={words.step.done} entries={entriesOf(subscription, dunning)} />
    </section>
  );
}

function entriesOf(
  { cancelsAtPeriodEnd, periodUntil }: SubscriptionDetailJson,
  dunning: NonNullable<SubscriptionDetailJson["dunning"]>,
): ScheduleEntry[] {
  const { step: words } = text().subscriptions;
  const { failedAt, steps, means, finalAction, finalAt, stays } = dunning;
  const made = means === "CARD" ? words.charge : words.remind;
  const end: Entry = { at: periodUntil, what: words.end, state: "last" };
  const all: Entry[] = [
    { at: failedAt, what: words.failed, state: "done" },
    ...steps.map(
      (step, index): Entry => ({
        at: step.at,
        what: made(index + 1, steps.length),
        state: step.made ? "done" : "to come",
      }),
    ),
    { at: finalAt, what: words.final[finalAction], state: stays ? "done" : "last" },
  ];
  // Steps after the end of the subscription do not occur.
  const shown = cancelsAtPeriodEnd ? [...all.filter(({ at, state }) => state === "done" || at < periodUntil), end] : all;
  return shown.map(({ at, what, state }, index) => ({ key: `${at} ${index}`, ...calendarDay(at), what, state }));
}

interface Entry {
  at: string;
  what: string;
  state: ScheduleEntry["state"];
}
