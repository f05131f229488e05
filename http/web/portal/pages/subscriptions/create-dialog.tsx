import type { PlansJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import type { SubscriptionDetailJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { GATEWAY_DEADLINE_MS, post } from "../../api/client.ts";
import type { LocaleJson } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ChoiceField, SelectField, TextField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { DialogForm } from "../../components/form-dialog.tsx";
import { LanguageField } from "../../components/language-field.tsx";
import { Loaded } from "../../components/panel.tsx";
import { locale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useFormValues } from "../../state/form-values.ts";
import type { Resource } from "../../state/resource.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { type Collection, planChoice, planInWords } from "./words.ts";

export interface CreateDialogProps {
  plans: Resource<PlansJson>;
  /** The plan that is already chosen; null for none. */
  planId: string | null;
  onClose: () => void;
  /** Runs when there is no plan to choose. */
  onPlans: () => void;
  onCreated: (created: SubscriptionDetailJson) => void;
}

/** Creates a subscription of a customer to a plan. */
export function CreateDialog({ plans, onPlans, onClose, ...props }: CreateDialogProps) {
  const { subscriptions: words } = text();
  return (
    <Dialog title={words.create} onClose={onClose}>
      <Loaded of={plans}>
        {({ items, collections }) => {
          const active = items.filter((plan) => plan.active);
          return active.length === 0 ? (
            <EmptyState
              icon="subscriptions"
              title={words.noPlansTitle}
              action={
                <Button kind="primary" onClick={onPlans}>
                  {words.toPlans}
                </Button>
              }
            >
              {words.noPlansText}
            </EmptyState>
          ) : (
            <CreateForm {...props} plans={active} collections={collections} />
          );
        }}
      </Loaded>
    </Dialog>
  );
}

const METHOD_ID = /^[A-Za-z0-9._:-]{1,100}$/;
/** Finds a card number in any notation. Card numbers must not be stored here. */
const CARD_NUMBER = /^\d(?:[ .:-]?\d){11,18}$/;

interface Written {
  planId: string;
  name: string;
  email: string;
  language: LocaleJson;
  collection: Collection;
  methodId: string;
}

function CreateForm({
  plans,
  collections,
  planId: chosen,
  onCreated,
}: Omit<CreateDialogProps, "plans" | "onPlans" | "onClose"> & { plans: PlansJson["items"]; collections: PlansJson["collections"] }) {
  const { subscriptions: words } = text();
  const form = useFormValues<Written, "name" | "email" | "methodId">(
    {
      planId: plans.find(({ id }) => id === chosen)?.id ?? plans[0]?.id ?? "",
      ...{ name: "", email: "", language: locale.value, collection: "LINK", methodId: "" },
    },
    problemsOf,
  );
  const { values: written, change, problem } = form;
  const plan = plans.find(({ id }) => id === written.planId);
  const sendOnce = useSendOnce();
  const create = useAction(async () => {
    const { planId, name, email, language, collection, methodId } = written;
    const body = {
      planId,
      customer: { name: name.trim(), email: email.trim(), locale: language },
      ...{ collection, ...(collection === "CARD" ? { methodId: methodId.trim() } : {}) },
    };
    onCreated(
      await sendOnce(body, (idempotencyKey) =>
        post<SubscriptionDetailJson>("/subscriptions", body, { idempotencyKey, deadlineMs: GATEWAY_DEADLINE_MS }),
      ),
    );
  });
  return (
    <DialogForm action={create} onSubmit={() => form.submit(create.run)} submit={words.createNow}>
      <SelectField
        label={words.plan}
        value={written.planId}
        options={plans.map(planChoice)}
        hint={plan === undefined ? undefined : planInWords(plan)}
        onChange={(planId) => change({ planId })}
      />
      <TextField
        label={words.customerName}
        hint={words.customerNameHint}
        autoComplete="off"
        maxLength={255}
        value={written.name}
        error={problem("name")}
        onInput={(name) => change({ name })}
        autoFocus
      />
      <TextField
        label={words.customerEmail}
        hint={words.customerEmailHint}
        type="email"
        inputMode="email"
        autoComplete="off"
        maxLength={254}
        value={written.email}
        error={problem("email")}
        onInput={(email) => change({ email })}
      />
      <LanguageField label={words.language} value={written.language} onChange={(language) => change({ language })} />
      {collections.includes("CARD") && (
        <ChoiceField<Collection>
          label={words.collection}
          value={written.collection}
          options={collections.map((value) => ({ value, label: words.collections[value], hint: words.collectionHints[value] }))}
          onChange={(collection) => change({ collection })}
        />
      )}
      {written.collection === "CARD" && (
        <TextField
          label={words.methodId}
          hint={words.methodIdHint}
          autoComplete="off"
          maxLength={100}
          mono
          value={written.methodId}
          error={problem("methodId")}
          onInput={(value) => change({ methodId: value })}
        />
      )}
      <p class="in-words" role="status">
        {plan !== undefined && plan.trialDays > 0 ? words.createText.TRIAL : words.createText.NOW}
      </p>
    </DialogForm>
  );
}

function problemsOf({ name, email, collection, ...written }: Written): Record<"name" | "email" | "methodId", string | null> {
  const { subscriptions: words, fields } = text();
  const methodId = written.methodId.trim();
  const methodProblem =
    methodId === "" ? fields.required : CARD_NUMBER.test(methodId) || !METHOD_ID.test(methodId) ? words.methodIdForm : null;
  return {
    name: name.trim() === "" ? fields.required : null,
    email: emailProblem(email),
    methodId: collection === "LINK" ? null : methodProblem,
  };
}
