import { useState } from "preact/hooks";
import type { WebhookEndpointJson, WebhookEndpointListJson } from "../../../../surfaces/merchant/schemas.ts";
import { Button } from "../../components/button.tsx";
import { CheckField, ChoiceField, TextField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
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

/** What is to be posted where. The format stays what it was made with: each has events of its own. */
export function EndpointForm({
  initial,
  offered,
  isNew,
  submit,
  error,
  busy,
  onCancel,
  onSubmit,
}: {
  initial: Written;
  offered: WebhookEndpointListJson["events"];
  isNew: boolean;
  submit: string;
  error: unknown;
  busy: boolean;
  onCancel: () => void;
  onSubmit: (written: Written) => void;
}) {
  const { webhooks: words, app } = text();
  const [written, setWritten] = useState<Written>(initial);
  const [checked, setChecked] = useState(false);
  const change = (changes: Partial<Written>) => setWritten((before) => ({ ...before, ...changes }));
  const { format, url, description, events } = written;
  const problems = { url: urlProblem(url), events: events.length === 0 ? words.noEvents : null };
  return (
    <Form
      error={error}
      busy={busy}
      onSubmit={() => {
        setChecked(true);
        if (problems.url === null && problems.events === null) onSubmit({ ...written, url: url.trim(), description: description.trim() });
      }}
    >
      <TextField
        label={words.url}
        hint={words.urlHint}
        inputMode="text"
        autoComplete="off"
        placeholder="https://"
        maxLength={URL_LENGTH_MAX}
        value={url}
        error={checked ? problems.url : null}
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
        problem={checked ? problems.events : null}
        onChange={(chosen) => change({ events: chosen })}
      />
      <FormActions>
        <Button onClick={onCancel}>{app.cancel}</Button>
        <Button type="submit" kind="primary" busy={busy}>
          {submit}
        </Button>
      </FormActions>
    </Form>
  );
}

/** All events, those of later versions too, or some of them. */
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

/** The relay decides; this is to say so before anything is sent. */
function urlProblem(url: string): string | null {
  const { webhooks: words, fields } = text();
  const typed = url.trim();
  if (typed === "") return fields.required;
  const protocol = URL.canParse(typed) ? new URL(typed).protocol : "";
  const isLive = merchant.value?.environment === "LIVE";
  if (protocol === "https:" || (protocol === "http:" && !isLive)) return null;
  return isLive ? words.urlLive : words.urlForm;
}
