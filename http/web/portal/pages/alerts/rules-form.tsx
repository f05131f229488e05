import { useLayoutEffect, useState } from "preact/hooks";
import { ALERT_RULE_DAILY_COUNT_MAX, ALERT_RULES_MAX } from "../../../../../engine/alerts/words.ts";
import type { AlertRulesDryRunJson, AlertRulesJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { get, post, put } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { AmountField } from "../../components/amount-field.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CancelButton } from "../../components/dialog.tsx";
import { ChoiceField, SelectField, TextField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { currencyChoices } from "../../i18n/currencies.ts";
import { errorText } from "../../i18n/error-text.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { toast } from "../../state/toasts.ts";
import { DryRun } from "./dry-run.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { isWhole, newRule, problemsOf, ruleSetOf, type Written, type WrittenRule, writtenOf } from "./written.ts";

export interface RulesFormProps {
  rules: AlertRulesJson;
  onUnsaved: (unsaved: boolean) => void;
  onSaved: (stored: AlertRulesJson) => void;
  /** Runs when another person saved first and this person wants to see what is stored now. */
  onLooked: (stored: AlertRulesJson) => void;
}

/** Edits the rules. They can be tried on recent alerts before they are saved. */
export function RulesForm({ rules, onUnsaved, onSaved, onLooked }: RulesFormProps) {
  const { rules: words } = text().alerts;
  // The form replaces only the rules that it was opened with.
  const [looked] = useState(rules);
  const [written, setWritten] = useState<Written>(() => writtenOf(rules));
  const [checked, setChecked] = useState(false);
  const [tried, setTried] = useState<{ result: AlertRulesDryRunJson; of: string; currency: string } | null>(null);
  const change = (changes: Partial<Written>) => setWritten((before) => ({ ...before, ...changes }));
  const unsaved = JSON.stringify(written) !== JSON.stringify(writtenOf(looked));
  // A layout effect runs before the person can press anything else.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on `unsaved` only.
  useLayoutEffect(() => onUnsaved(unsaved), [unsaved]);
  const problems = problemsOf(written);
  const { enabled, currency, dailyCount, dailyAmount } = written;
  const save = useAction(async () => {
    const stored = await put<AlertRulesJson>("/alert-rules", { ...ruleSetOf(written), seen: looked.version });
    toast(words.saved);
    onSaved(stored);
  });
  const look = useAction(async () => onLooked(await get<AlertRulesJson>("/alert-rules")));
  const tryOut = useAction(async () => {
    // A dry run ignores whether the rules are enabled.
    const body = ruleSetOf(written);
    const result = await post<AlertRulesDryRunJson>("/alert-rules/dry-run", body);
    setTried({ result, of: JSON.stringify({ ...body, enabled: null }), currency: body.currency });
  });
  const wasChanged = hasCode(save.error, "conflict");
  const checkedThen = (act: () => Promise<void>): void => {
    setChecked(true);
    if (isWhole(problems)) void act();
  };
  const setRule = (rule: WrittenRule) => change({ rules: written.rules.map((one) => (one.key === rule.key ? rule : one)) });
  const nextKey = Math.max(-1, ...written.rules.map(({ key }) => key)) + 1;
  return (
    // A concurrent change has a banner of its own below.
    <Form error={wasChanged ? null : (save.error ?? tryOut.error)} busy={save.busy} onSubmit={() => checkedThen(save.run)}>
      {wasChanged && (
        <Banner kind="danger" alert>
          <p>{words.changedMeanwhile}</p>
          <div class="button-row">
            <Button small icon="refresh" busy={look.busy} onClick={() => void look.run()}>
              {words.showStored}
            </Button>
          </div>
          {look.error !== null && <p>{errorText(look.error)}</p>}
        </Banner>
      )}
      <ChoiceField<"on" | "off">
        label={words.use}
        value={enabled ? "on" : "off"}
        options={[
          { value: "off", label: words.off, hint: words.offText },
          { value: "on", label: words.on, hint: words.onText },
        ]}
        onChange={(chosen) => change({ enabled: chosen === "on" })}
      />
      <div class="fields-three">
        <SelectField
          label={words.currency}
          hint={words.currencyHint}
          value={currency}
          options={currencyChoices()}
          onChange={(chosen) => change({ currency: chosen })}
        />
        <TextField
          label={words.dailyCount}
          hint={words.dailyCountHint(ALERT_RULE_DAILY_COUNT_MAX)}
          inputMode="numeric"
          autoComplete="off"
          maxLength={4}
          value={dailyCount}
          error={checked ? problems.dailyCount : null}
          onInput={(typed) => change({ dailyCount: typed })}
        />
        <AmountField
          label={words.dailyAmount}
          hint={words.dailyAmountHint}
          currency={currency}
          value={dailyAmount}
          error={checked ? problems.dailyAmount : null}
          onInput={(typed) => change({ dailyAmount: typed })}
        />
      </div>
      {written.rules.map((rule, index) => (
        <RuleFields
          key={rule.key}
          number={index + 1}
          rule={rule}
          currency={currency}
          problems={checked ? (problems.each[index] ?? null) : null}
          onChange={setRule}
          onRemove={() => change({ rules: written.rules.filter(({ key }) => key !== rule.key) })}
        />
      ))}
      {written.rules.length === 0 && <p class="muted">{words.none}</p>}
      <div class="button-row">
        <Button
          icon="plus"
          disabled={written.rules.length >= ALERT_RULES_MAX}
          onClick={() => change({ rules: [...written.rules, newRule(nextKey)] })}
        >
          {words.add}
        </Button>
        {written.rules.length >= ALERT_RULES_MAX && <span class="muted">{words.full(ALERT_RULES_MAX)}</span>}
      </div>
      {checked && problems.rules !== null && (
        <p class="field-error" role="alert">
          {problems.rules}
        </p>
      )}
      <section class="section form" aria-label={words.tried} aria-live="polite">
        <div class="button-row">
          <Button icon="clock" busy={tryOut.busy} disabled={written.rules.length === 0} onClick={() => checkedThen(tryOut.run)}>
            {words.tryIt}
          </Button>
        </div>
        {tried !== null && (
          <DryRun
            result={tried.result}
            currency={tried.currency}
            isOld={isWhole(problems) ? tried.of !== JSON.stringify({ ...ruleSetOf(written), enabled: null }) : true}
          />
        )}
      </section>
      <FormActions>
        <CancelButton />
        <Button type="submit" kind="primary" busy={save.busy}>
          {words.save}
        </Button>
      </FormActions>
    </Form>
  );
}
