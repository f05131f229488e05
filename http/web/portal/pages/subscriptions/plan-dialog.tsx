import { PLAN_COUNTS_MAX, PLAN_INTERVALS, PLAN_TRIAL_DAYS_MAX } from "../../../../../engine/subscriptions/words.ts";
import type { PlanJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import { post } from "../../api/client.ts";
import { hasCode, PortalError } from "../../api/errors.ts";
import { AmountField } from "../../components/amount-field.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { amountProblem, minorOf } from "../../i18n/amounts.ts";
import { currencyChoices } from "../../i18n/currencies.ts";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useFormValues } from "../../state/form-values.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { planInWords } from "./words.ts";

type Interval = PlanJson["interval"];

interface Written {
  name: string;
  amount: string;
  currency: string;
  interval: Interval;
  count: string;
  trialDays: string;
}

const EXAMPLE_MINOR = 2_900;

const NEW: Written = { name: "", amount: "", currency: "EUR", interval: "MONTH", count: "1", trialDays: "0" };

/** Creates a plan in one form, and describes in words what customers will pay. */
export function PlanDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (plan: PlanJson) => void }) {
  const { plans: words, fields } = text();
  const form = useFormValues(NEW, problemsOf);
  const { values: written, change, problem } = form;
  const terms = termsOf(written);
  const sendOnce = useSendOnce();
  const create = useAction(async () => {
    if (terms === null) return;
    const body = { name: written.name.trim(), ...terms };
    try {
      onCreated(await sendOnce(body, (idempotencyKey) => post<PlanJson>("/plans", body, { idempotencyKey })));
    } catch (error) {
      if (hasCode(error, "conflict")) throw new PortalError("plans_full", 409, words.full);
      throw error;
    }
  });
  return (
    <FormDialog title={words.create} action={create} onSubmit={() => form.submit(create.run)} submit={words.createNow} onClose={onClose}>
      <TextField
        label={words.name}
        hint={words.nameHint}
        autoComplete="off"
        maxLength={255}
        value={written.name}
        error={problem("name")}
        onInput={(name) => change({ name })}
        autoFocus
      />
      <div class="fields-pair">
        <AmountField
          label={words.amount}
          currency={written.currency}
          value={written.amount}
          error={problem("amount")}
          onInput={(amount) => change({ amount })}
        />
        <SelectField
          label={words.currency}
          value={written.currency}
          options={currencyChoices()}
          onChange={(currency) => change({ currency })}
        />
      </div>
      <div class="fields-pair">
        <TextField
          label={words.count}
          inputMode="numeric"
          autoComplete="off"
          maxLength={3}
          value={written.count}
          error={problem("count")}
          onInput={(count) => change({ count })}
        />
        <SelectField<Interval>
          label={words.unit}
          value={written.interval}
          options={PLAN_INTERVALS.map((value) => ({ value, label: words.intervals[value] }))}
          onChange={(interval) => change({ interval })}
        />
      </div>
      <TextField
        label={words.trialDays}
        hint={words.trialHint}
        inputMode="numeric"
        autoComplete="off"
        maxLength={3}
        value={written.trialDays}
        error={problem("trialDays")}
        onInput={(trialDays) => change({ trialDays })}
      />
      <div class="in-words">
        <p class="field-label">{words.meaning}</p>
        <p role="status">{terms === null ? fields.amountForm(formatMoney(EXAMPLE_MINOR, written.currency)) : planInWords(terms)}</p>
        <p class="field-hint">{words.fixed}</p>
      </div>
    </FormDialog>
  );
}

/** Returns the terms of the form; null while an amount or a number is missing. */
function termsOf(written: Written): Omit<PlanJson, "id" | "name" | "active" | "used" | "createdAt" | "updatedAt"> | null {
  const { amount, currency, interval } = written;
  const amountMinor = minorOf(amount, currency);
  const [count, trialDays] = [wholeNumber(written.count), wholeNumber(written.trialDays)];
  if (amountMinor === null || amountMinor === 0 || count === null || trialDays === null) return null;
  return { amountMinor, currency, interval, count, trialDays };
}

function wholeNumber(written: string): number | null {
  return /^\d{1,3}$/.test(written.trim()) ? Number(written.trim()) : null;
}

function problemsOf(written: Written): Record<"name" | "amount" | "count" | "trialDays", string | null> {
  const { plans: words, fields } = text();
  const [count, trialDays] = [wholeNumber(written.count), wholeNumber(written.trialDays)];
  const countMax = PLAN_COUNTS_MAX[written.interval];
  return {
    name: written.name.trim() === "" ? fields.required : null,
    amount: amountProblem(written.amount, written.currency, EXAMPLE_MINOR),
    count: count === null || count < 1 || count > countMax ? words.countForm(countMax) : null,
    trialDays: trialDays === null || trialDays > PLAN_TRIAL_DAYS_MAX ? words.trialForm(PLAN_TRIAL_DAYS_MAX) : null,
  };
}
