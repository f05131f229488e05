import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { DunningPolicyJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import { SelectField } from "../../components/field.tsx";
import { Schedule, type ScheduleEntry } from "../../components/schedule.tsx";
import { text } from "../../i18n/texts.ts";
import type { Collection } from "./words.ts";

/** Shows what a customer receives and when, under a stored policy or the one in the form. */
export function DunningPreview({
  policy,
  collections,
  children,
}: {
  policy: DunningPolicyJson;
  collections: readonly Collection[];
  /** More text, which stands beside the schedule if there is room. */
  children?: ComponentChildren;
}) {
  const { dunning: words, subscriptions } = text();
  const [collection, setCollection] = useState<Collection>("LINK");
  return (
    <div class="stack">
      {collections.length > 1 && (
        <div class="policy-choice">
          <SelectField
            label={words.previewFor}
            value={collection}
            options={collections.map((value) => ({ value, label: subscriptions.collections[value] }))}
            onChange={setCollection}
          />
        </div>
      )}
      <div class="policy">
        <Schedule label={words.preview} done={subscriptions.step.done} entries={entriesOf(policy, collection)} />
        <div class="stack">
          {children}
          <p class="muted">
            {words.recovered} {policy.mails && words.recoveredMail}
          </p>
          {collection === "CARD" && <p class="muted">{words.hard}</p>}
        </div>
      </div>
    </div>
  );
}

function entriesOf({ retryDays, finalAction, mails }: DunningPolicyJson, collection: Collection): ScheduleEntry[] {
  const { dunning: words } = text();
  const mail = (kind: "failed" | "step" | "ifFails") => (mails ? words.mail[kind] : words.mail.none);
  const isCard = collection === "CARD";
  return [
    { key: "failed", ...words.day(0), what: words.failed[collection], note: mail("failed"), state: "to come" },
    ...retryDays.map(
      (day, index): ScheduleEntry => ({
        key: `retry ${index}`,
        ...words.day(day),
        // A customer who pays by link and gets no mail is not notified.
        what: isCard ? words.charged : mails ? words.reminded : words.waits,
        note: isCard ? mail("ifFails") : mails ? words.mail.step : undefined,
        state: "to come",
      }),
    ),
    { key: "final", ...words.day((retryDays.at(-1) ?? 0) + 1), what: words.final[finalAction], state: "last" },
  ];
}
