import type { WebhookEndpointJson, WebhookEndpointListJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { CheckField, ChoiceField, TextField } from "../../components/field.tsx";
import { DialogForm, type DialogFormProps } from "../../components/form-dialog.tsx";
import { text } from "../../i18n/texts.ts";
import { useFormValues } from "../../state/form-values.ts";
import { merchant } from "../../state/session.ts";

const URL_LENGTH_MAX = 2_048;
const DESCRIPTION_LENGTH_MAX = 255;

export type Format = WebhookEndpointJson["format"];

export interface Written {
  format: Format;
  url: string;
  description: string;
  events: readonly string[];
}

/**
 * Edits an endpoint's address and events. The format cannot be changed, because each has its own
 * events.
 */
export function EndpointForm({
  initial,
  offered,
  isNew,
  submit,
  action,
  onSubmit,
}: {
  initial: Written;
  offered: WebhookEndpointListJson["events"];
  isNew: boolean;
  submit: string;
  action: NonNullable<DialogFormProps["action"]>;
  onSubmit: (written: Written) => void;
}) {
  const { webhooks: words } = text();
  const form = useFormValues(initial, problemsOf);
  const { values: written, change, problem } = form;
  const { format, url, description, events } = written;
  return (
    <DialogForm
      action={action}
      onSubmit={() => form.submit(() => onSubmit({ ...written, url: url.trim(), description: description.trim() }))}
      submit={submit}
    >
      <TextField
        label={words.url}
        hint={words.urlHint}
        inputMode="text"
        autoComplete="off"
        placeholder="https://"
        maxLength={URL_LENGTH_MAX}
        value={url}
        error={problem("url")}
        onInput={(typed) => change({ url: typed })}
        autoFocus
      />
      <TextField
        label={words.description}
        optional
        autoComplete="off"
        maxLength={DESCRIPTION_LENGTH_MAX}
        value={description}
        onInput={(typed) => change({ description: typed })}
      />
      {isNew && (
        <ChoiceField<Format>
          label={words.format}
          value={format}
          options={[
            { value: "portal", label: words.formats.portal, hint: words.formatHints.portal },
            { value: "platform", label: words.formats.platform, hint: words.formatHints.platform },
          ]}
          onChange={(chosen) => change({ format: chosen, events: ["*"] })}
        />
      )}
      <EventChoice
        events={events}
        offered={[...new Set([...offered[format], ...initial.events.filter((name) => name !== "*" && format === initial.format)])]}
        problem={problem("events")}
        onChange={(chosen) => change({ events: chosen })}
      />
    </DialogForm>
  );
}

/** Offers all events, later ones included, or a choice of some. */
function EventChoice({
  events,
  offered,
  problem,
  onChange,
}: {
  events: readonly string[];
  offered: readonly string[];
  problem: string | null;
  onChange: (events: readonly string[]) => void;
}) {
  const { webhooks: words } = text();
  const all = events.includes("*");
  return (
    <>
      <ChoiceField
        label={words.events}
        value={all ? "all" : "some"}
        options={[
          { value: "all", label: words.allEvents, hint: words.allEventsHint },
          { value: "some", label: words.chooseEvents },
        ]}
        onChange={(chosen) => onChange(chosen === "all" ? ["*"] : [])}
      />
      {!all && (
        <fieldset class="choices checks">
          <legend class="field-label">{words.chosenEvents}</legend>
          {offered.map((name) => (
            <CheckField
              key={name}
              label={<span class="mono break">{name}</span>}
              checked={events.includes(name)}
              onChange={(checked) => onChange(checked ? [...events, name] : events.filter((other) => other !== name))}
            />
          ))}
          <p class="field-error" role="alert">
            {problem}
          </p>
        </fieldset>
      )}
    </>
  );
}

function problemsOf({ url, events }: Written): Record<"url" | "events", string | null> {
  return { url: urlProblem(url), events: events.length === 0 ? text().webhooks.noEvents : null };
}

/** Finds mistakes before anything is sent. The relay makes the decision. */
function urlProblem(url: string): string | null {
  const { webhooks: words, fields } = text();
  const typed = url.trim();
  if (typed === "") return fields.required;
  const protocol = URL.canParse(typed) ? new URL(typed).protocol : "";
  const isLive = merchant.value?.environment === "LIVE";
  if (protocol === "https:" || (protocol === "http:" && !isLive)) return null;
  return isLive ? words.urlLive : words.urlForm;
}
