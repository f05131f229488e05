import { ALERT_RULE_SOURCES } from "../../../../../engine/alerts/words.ts";
import { DISPUTE_CATEGORIES } from "../../../../../engine/disputes/words.ts";
import { AmountField } from "../../components/amount-field.tsx";
import { Button } from "../../components/button.tsx";
import { CheckField, TextField } from "../../components/field.tsx";
import { methodText } from "../../i18n/method-text.ts";
import { text } from "../../i18n/texts.ts";
import type { Choice, RuleProblems, WrittenRule } from "./written.ts";

/** The payment methods that an alert can have. */
const METHODS = ["CARD", "PAYBYLINK", "SATISPAY", "VOUCHER"] as const;

/** Edits one rule: the largest amount, and the alerts that it applies to. */
export function RuleFields({
  number,
  rule,
  currency,
  problems,
  onChange,
  onRemove,
}: {
  number: number;
  rule: WrittenRule;
  currency: string;
  /** Null until the form is checked. */
  problems: RuleProblems | null;
  onChange: (rule: WrittenRule) => void;
  onRemove: () => void;
}) {
  const { alerts: words, disputes } = text();
  const { id, amountMax, sources, categories, methods } = rule;
  const name = id === "" ? words.rules.rule(number) : id;
  return (
    <fieldset class="rule-fields">
      <legend>{words.rules.rule(number)}</legend>
      <div class="fields-pair">
        <TextField
          label={words.rules.name}
          hint={words.rules.nameHint}
          autoComplete="off"
          maxLength={32}
          value={id}
          error={problems?.id}
          onInput={(typed) => onChange({ ...rule, id: typed })}
        />
        <AmountField
          label={words.rules.amountMax}
          currency={currency}
          value={amountMax}
          error={problems?.amountMax}
          onInput={(typed) => onChange({ ...rule, amountMax: typed })}
        />
      </div>
      <div class="fields-three">
        <ChoiceOf
          label={words.rules.sources}
          hint={words.rules.sourcesHint}
          choice={sources}
          options={ALERT_RULE_SOURCES.map((value) => ({ value, label: words.sources[value] }))}
          problem={problems?.sources ?? null}
          onChange={(chosen) => onChange({ ...rule, sources: chosen })}
        />
        <ChoiceOf
          label={words.rules.categories}
          choice={categories}
          options={DISPUTE_CATEGORIES.map((value) => ({ value, label: disputes.categories[value] }))}
          problem={problems?.categories ?? null}
          onChange={(chosen) => onChange({ ...rule, categories: chosen })}
        />
        <ChoiceOf
          label={words.rules.methods}
          choice={methods}
          // The choice includes methods that were stored by another client.
          options={[...new Set<string>([...METHODS, ...methods.some])].map((value) => ({ value, label: methodText(value) }))}
          problem={problems?.methods ?? null}
          onChange={(chosen) => onChange({ ...rule, methods: chosen })}
        />
      </div>
      <div class="button-row">
        <Button small kind="danger-quiet" icon="close" label={words.rules.remove(name)} onClick={onRemove}>
          {words.rules.removeNow}
        </Button>
      </div>
    </fieldset>
  );
}

/** Offers all words, or a choice of some of them. */
function ChoiceOf({
  label,
  hint,
  choice: { all, some },
  options,
  problem,
  onChange,
}: {
  label: string;
  hint?: string;
  choice: Choice;
  options: readonly { value: string; label: string }[];
  problem: string | null;
  onChange: (choice: Choice) => void;
}) {
  const { rules: words } = text().alerts;
  return (
    <fieldset class="choices checks">
      <legend class="field-label">{label}</legend>
      {hint !== undefined && <p class="field-hint">{hint}</p>}
      <CheckField label={words.any} checked={all} onChange={(chosen) => onChange({ all: chosen, some })} />
      {!all &&
        options.map(({ value, label: name }) => (
          <CheckField
            key={value}
            label={name}
            checked={some.includes(value)}
            onChange={(chosen) => onChange({ all, some: chosen ? [...some, value] : some.filter((other) => other !== value) })}
          />
        ))}
      <p class="field-error" role="alert">
        {problem}
      </p>
    </fieldset>
  );
}
