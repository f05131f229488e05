import { useState } from "preact/hooks";
import { DUNNING_DAYS_MAX, DUNNING_FINAL_ACTIONS, DUNNING_RETRIES_MAX } from "../../../../../engine/subscriptions/words.ts";
import type { DunningPolicyJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import { get, put } from "../../api/client.ts";
import { hasCode, PortalError } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { CancelButton, Drawer } from "../../components/dialog.tsx";
import { CheckField, ChoiceField, TextField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { toast } from "../../state/toasts.ts";
import { DunningPreview } from "./dunning-preview.tsx";
import type { Collection } from "./words.ts";

interface Written {
  /** Each day has a key, so that a field keeps its identity when an earlier one is removed. */
  days: readonly { key: number; text: string }[];
  finalAction: DunningPolicyJson["finalAction"];
  mails: boolean;
}

export interface DunningDrawerProps {
  policy: DunningPolicyJson;
  collections: readonly Collection[];
  onClose: () => void;
  /** Receives the stored policy: the one that was saved here or another person's. */
  onStored: (policy: DunningPolicyJson) => void;
}

/** Edits how failed payments are retried, and shows the resulting schedule below. */
export function DunningDrawer({ policy, collections, onClose, onStored }: DunningDrawerProps) {
  const { dunning: words, app } = text();
  // Saving replaces only the policy that the drawer was opened with.
  const [looked, setLooked] = useState(policy);
  const [written, setWritten] = useState(() => writtenOf(policy));
  const [checked, setChecked] = useState(false);
  const change = (changes: Partial<Written>) => setWritten((before) => ({ ...before, ...changes }));
  const problems = dayProblems(written);
  const next = policyOf(written);
  const unsaved = JSON.stringify(next) !== JSON.stringify(looked);
  const save = useAction(async () => {
    const stored = await get<DunningPolicyJson>("/dunning");
    if (!isSame(stored, looked)) throw new PortalError("conflict", 409, words.changedMeanwhile);
    onStored(await put<DunningPolicyJson>("/dunning", next));
    toast(words.saved);
    onClose();
  });
  const look = useAction(async () => {
    const stored = await get<DunningPolicyJson>("/dunning");
    onStored(stored);
    setLooked(stored);
    setWritten(writtenOf(stored));
    save.forgetError();
  });
  const wasChanged = hasCode(save.error, "conflict");
  return (
    <Drawer title={words.changeTitle} onClose={onClose} unsaved={unsaved ? app.leaveText : null}>
      <Form
        // A concurrent change has a banner of its own.
        error={wasChanged ? null : save.error}
        busy={save.busy}
        onSubmit={() => {
          setChecked(true);
          if (problems.every((problem) => problem === null)) void save.run();
        }}
      >
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
        <RetryDays days={written.days} problems={checked ? problems : problems.map(() => null)} onChange={(days) => change({ days })} />
        <ChoiceField
          label={words.finalAction}
          value={written.finalAction}
          options={DUNNING_FINAL_ACTIONS.map((value) => ({ value, label: words.finalActions[value], hint: words.finalHints[value] }))}
          onChange={(finalAction) => change({ finalAction })}
        />
        <div class="field">
          <CheckField label={words.mails} checked={written.mails} onChange={(mails) => change({ mails })} />
          <p class="field-hint">{words.mailsHint}</p>
        </div>
        <section class="section stack">
          <h3>{words.preview}</h3>
          <DunningPreview policy={previewOf(next, problems)} collections={collections} />
        </section>
        <FormActions>
          <CancelButton />
          <Button type="submit" kind="primary" busy={save.busy}>
            {words.save}
          </Button>
        </FormActions>
      </Form>
    </Drawer>
  );
}

function RetryDays({
  days,
  problems,
  onChange,
}: {
  days: Written["days"];
  problems: readonly (string | null)[];
  onChange: (days: Written["days"]) => void;
}) {
  const { dunning: words } = text();
  const add = () => {
    const last = wholeDays(days.at(-1)?.text ?? "") ?? 0;
    const key = Math.max(...days.map((day) => day.key)) + 1;
    onChange([...days, { key, text: String(Math.min(last + 2, DUNNING_DAYS_MAX)) }]);
  };
  return (
    <fieldset class="choices">
      <legend class="field-label">{words.retries}</legend>
      <p class="field-hint">{words.retriesHint}</p>
      <div class="retry-days">
        {days.map((day, index) => (
          <div key={day.key} class="retry-day">
            <TextField
              label={words.retry(index + 1)}
              inputMode="numeric"
              autoComplete="off"
              maxLength={2}
              value={day.text}
              error={problems[index]}
              onInput={(written) => onChange(days.map((one) => (one.key === day.key ? { ...one, text: written } : one)))}
            />
            {days.length > 1 && (
              <IconButton
                icon="close"
                label={words.removeRetry(index + 1)}
                onClick={() => onChange(days.filter(({ key }) => key !== day.key))}
              />
            )}
          </div>
        ))}
      </div>
      {days.length < DUNNING_RETRIES_MAX && (
        <div class="button-row">
          <Button small icon="plus" onClick={add}>
            {words.addRetry}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function writtenOf({ retryDays, finalAction, mails }: DunningPolicyJson): Written {
  return { days: retryDays.map((day, key) => ({ key, text: String(day) })), finalAction, mails };
}

function policyOf({ days, finalAction, mails }: Written): DunningPolicyJson {
  return { retryDays: days.map((day) => wholeDays(day.text) ?? 0), finalAction, mails };
}

function wholeDays(written: string): number | null {
  return /^\d{1,2}$/.test(written.trim()) ? Number(written.trim()) : null;
}

function dayProblems({ days }: Written): (string | null)[] {
  const { dunning: words } = text();
  return days.map((day, index) => {
    const [count, before] = [wholeDays(day.text), wholeDays(days[index - 1]?.text ?? "") ?? 0];
    if (count === null || count < 1 || count > DUNNING_DAYS_MAX) return words.dayForm(DUNNING_DAYS_MAX);
    return count > before ? null : words.dayOrder;
  });
}

/** Leaves out days that are not valid yet, so that the preview works while the person types. */
function previewOf(policy: DunningPolicyJson, problems: readonly (string | null)[]): DunningPolicyJson {
  return { ...policy, retryDays: policy.retryDays.filter((_, index) => problems[index] === null) };
}

function isSame(one: DunningPolicyJson, other: DunningPolicyJson): boolean {
  const { retryDays, finalAction, mails } = one;
  return `${retryDays}` === `${other.retryDays}` && finalAction === other.finalAction && mails === other.mails;
}
