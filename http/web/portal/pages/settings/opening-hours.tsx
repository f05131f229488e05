import { useState } from "preact/hooks";
import type { OpeningHoursJson } from "../../../../surfaces/merchant/opening-hours-schemas.ts";
import { get, put } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { zoneName } from "../../i18n/format.ts";
import { locale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useResource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { hoursText, readHours, WEEKDAYS } from "./opening-text.ts";

const PATH = "/opening-hours";

/** Shows when the shop is open, and lets roles that may change settings change it. */
export function OpeningHours() {
  const { settings: words } = text();
  const hours = useResource("opening-hours", (signal) => get<OpeningHoursJson>(PATH, { signal }));
  return (
    <Panel title={words.openingHours} hint={words.openingHint(zoneName())}>
      <Loaded of={hours}>
        {(data) =>
          may("configure") ? <HoursForm key={JSON.stringify(data)} known={data} onSaved={hours.replace} /> : <HoursList known={data} />
        }
      </Loaded>
    </Panel>
  );
}

function HoursList({ known: { source, hours } }: { known: OpeningHoursJson }) {
  const { settings: words } = text();
  return (
    <>
      <p class="muted">{words.openingSources[source]}</p>
      {hours !== null && (
        <dl class="facts">
          {WEEKDAYS.map((weekday) => [
            <dt key={`${weekday} name`}>{weekdayName(weekday)}</dt>,
            <dd key={weekday}>{hoursText(hours, weekday) || words.closed}</dd>,
          ])}
        </dl>
      )}
    </>
  );
}

function HoursForm({ known, onSaved }: { known: OpeningHoursJson; onSaved: (saved: OpeningHoursJson) => void }) {
  const { settings: words, app } = text();
  const [isSet, setIsSet] = useState(known.source === "set");
  const [written, setWritten] = useState(() => WEEKDAYS.map((weekday) => hoursText(known.hours ?? [], weekday)));
  const [isShown, setIsShown] = useState(false);
  const read = WEEKDAYS.map((weekday, index) => readHours(written[index] ?? "", weekday));
  const save = useAction(async () => {
    setIsShown(true);
    if (isSet && read.includes(null)) return;
    const saved = await put<OpeningHoursJson>(PATH, { hours: isSet ? read.flatMap((intervals) => intervals ?? []) : null });
    toast(words.saved);
    onSaved(saved);
  });
  return (
    <Form onSubmit={() => void save.run()} error={save.error} busy={save.busy}>
      <SelectField
        label={words.openingSource}
        value={isSet ? "set" : "payments"}
        disabled={save.busy}
        options={(["payments", "set"] as const).map((value) => ({ value, label: words.openingChoices[value] }))}
        onChange={(value) => setIsSet(value === "set")}
      />
      {!isSet && known.source === "unknown" && <Banner kind="warning">{words.openingSources.unknown}</Banner>}
      {!isSet && known.source === "payments" && <HoursList known={known} />}
      {isSet && (
        <>
          <p class="muted">{words.openingForm}</p>
          <div class="columns">
            {WEEKDAYS.map((weekday, index) => (
              <TextField
                key={weekday}
                label={weekdayName(weekday)}
                value={written[index] ?? ""}
                maxLength={60}
                placeholder={words.closed}
                error={isShown && read[index] === null ? words.openingWrong : null}
                onInput={(value) => setWritten(written.map((one, other) => (other === index ? value : one)))}
              />
            ))}
          </div>
        </>
      )}
      <FormActions>
        <Button kind="primary" type="submit" busy={save.busy}>
          {app.save}
        </Button>
      </FormActions>
    </Form>
  );
}

/** The first day of 2024 is a Monday. */
function weekdayName(weekday: number): string {
  const name = new Intl.DateTimeFormat(locale.value, { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2024, 0, weekday));
  return name.charAt(0).toLocaleUpperCase(locale.value) + name.slice(1);
}
