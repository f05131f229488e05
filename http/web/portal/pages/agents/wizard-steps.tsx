import { AGENT_SCOPES } from "../../../../../engine/access/words.ts";
import { AGENT_ADDRESSES_MAX, AGENT_LINKS_PER_HOUR_MAX, AGENT_NAME_LENGTH_MAX } from "../../../../../engine/agents/words.ts";
import { AmountField } from "../../components/amount-field.tsx";
import { CheckField, SelectField, TextAreaField, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { currencyChoices } from "../../i18n/currencies.ts";
import { formatDay } from "../../i18n/days.ts";
import { text } from "../../i18n/texts.ts";
import { useFormValues } from "../../state/form-values.ts";
import { LIFETIMES, type Lifetime, lastDayOf, limitProblems, scopeProblems, validityProblems, type Written } from "./written.ts";

export interface StepProps {
  title: string;
  written: Written;
  onClose: () => void;
  /** Earlier steps may have been filled in. */
  unsaved: string | undefined;
  onNext: (written: Written) => void;
  /** Keeps what was written in this step. */
  onBack: (written: Written) => void;
}

/** Asks for a name and for what the agent may do. */
export function ScopesStep({ title, written, unsaved, onClose, onNext }: StepProps) {
  const { agents: words } = text();
  const form = useFormValues(written, scopeProblems);
  const { name, scopes } = form.values;
  return (
    <FormDialog
      title={title}
      submit={words.wizard.next}
      onSubmit={() => form.submit(() => onNext(form.values))}
      unsaved={unsaved}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        hint={words.nameHint}
        autoComplete="off"
        maxLength={AGENT_NAME_LENGTH_MAX}
        value={name}
        error={form.problem("name")}
        onInput={(typed) => form.change({ name: typed })}
        autoFocus
      />
      <fieldset class="choices checks">
        <legend class="field-label">{words.permits}</legend>
        {AGENT_SCOPES.map((scope) => (
          <CheckField
            key={scope}
            label={
              <>
                <span class="choice-label">{words.scopes[scope]}</span>
                <span class="choice-hint">{words.scopeHints[scope]}</span>
              </>
            }
            checked={scopes.includes(scope)}
            // The scopes keep the order in which they are offered.
            onChange={(on) => form.change({ scopes: AGENT_SCOPES.filter((one) => (one === scope ? on : scopes.includes(one))) })}
          />
        ))}
        <p class="field-error" role="alert">
          {form.problem("scopes")}
        </p>
      </fieldset>
      <p class="muted">{words.never}</p>
    </FormDialog>
  );
}

/** Asks for the limits of the agent's links. */
export function LimitsStep({ title, written, unsaved, onClose, onNext, onBack }: StepProps) {
  const { agents, app } = text();
  const { wizard: words } = agents;
  const form = useFormValues(written, limitProblems);
  const { values, change, problem } = form;
  const amount = (member: "perLink" | "perDay" | "total", { hint, autoFocus = false }: { hint?: string; autoFocus?: boolean } = {}) => (
    <AmountField
      label={words[member]}
      currency={values.currency}
      value={values[member]}
      hint={hint}
      error={problem(member)}
      onInput={(typed) => change({ [member]: typed })}
      autoFocus={autoFocus}
    />
  );
  return (
    <FormDialog
      title={title}
      submit={words.next}
      onSubmit={() => form.submit(() => onNext(values))}
      cancel={app.back}
      onCancel={() => onBack(values)}
      unsaved={unsaved}
      onClose={onClose}
    >
      <SelectField
        label={words.currency}
        hint={words.currencyHint}
        value={values.currency}
        options={currencyChoices()}
        onChange={(currency) => change({ currency })}
      />
      {amount("perLink", { autoFocus: true })}
      {amount("perDay", { hint: agents.todayHint })}
      {amount("total", { hint: words.totalHint })}
      <TextField
        label={words.linksPerHour}
        inputMode="numeric"
        autoComplete="off"
        maxLength={String(AGENT_LINKS_PER_HOUR_MAX).length}
        value={values.linksPerHour}
        error={problem("linksPerHour")}
        onInput={(linksPerHour) => change({ linksPerHour })}
      />
    </FormDialog>
  );
}

/** Asks how long the credential is valid and from which addresses it may be used. */
export function ValidityStep({ title, written, unsaved, onClose, onNext, onBack }: StepProps) {
  const { agents, app } = text();
  const { wizard: words } = agents;
  const form = useFormValues(written, validityProblems);
  const { values, change, problem } = form;
  const lastDay = lastDayOf(values);
  return (
    <FormDialog
      title={title}
      submit={words.next}
      onSubmit={() => form.submit(() => onNext(values))}
      cancel={app.back}
      onCancel={() => onBack(values)}
      unsaved={unsaved}
      onClose={onClose}
    >
      <SelectField<Lifetime>
        label={words.validFor}
        value={values.lifetime}
        hint={lastDay === null ? undefined : words.until(formatDay(lastDay))}
        options={[...LIFETIMES, "other" as const].map((value) => ({ value, label: words.lifetimes[value] }))}
        onChange={(lifetime) => change({ lifetime })}
      />
      {values.lifetime === "other" && (
        <TextField
          label={words.days}
          inputMode="numeric"
          autoComplete="off"
          maxLength={2}
          value={values.days}
          error={problem("days")}
          onInput={(days) => change({ days })}
        />
      )}
      <TextAreaField
        label={words.addresses}
        hint={words.addressesHint(AGENT_ADDRESSES_MAX)}
        optional
        rows={3}
        value={values.addresses}
        error={problem("addresses")}
        onInput={(addresses) => change({ addresses })}
      />
    </FormDialog>
  );
}
