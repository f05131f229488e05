import { useState } from "preact/hooks";
import { PORTAL_LINK_HOURS_MAX, PORTAL_LINK_HOURS_MIN } from "../../../../../engine/portal-links/words.ts";
import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { post } from "../../api/client.ts";
import { AmountField } from "../../components/amount-field.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { FormActions } from "../../components/form.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { amountProblem, minorOf } from "../../i18n/amounts.ts";
import { currencyChoices } from "../../i18n/currencies.ts";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useFormValues } from "../../state/form-values.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { ShareLink } from "./share-link.tsx";

const LIFETIMES = ["1", "24", "168", "720", "2160"] as const;
type Lifetime = (typeof LIFETIMES)[number] | "other";

/** Creates a link in one form, and then offers to share it. */
export function CreateDialog({ onClose, onCreated, onOpen }: { onClose: () => void; onCreated: () => void; onOpen: (id: string) => void }) {
  const { paymentLinks: words } = text();
  const [created, setCreated] = useState<PaymentLinkJson | null>(null);
  if (created === null) {
    return (
      <CreateForm
        onClose={onClose}
        onCreated={(link) => {
          setCreated(link);
          onCreated();
        }}
      />
    );
  }
  return (
    <Dialog key={created.id} title={words.ready} onClose={onClose}>
      <div class="form">
        <p class="lead" role="status">
          {words.readyText(formatMoney(created.amountMinor, created.currency), created.description)}
        </p>
        {created.qr !== null && <img class="qr" src={created.qr} alt={words.qrAlt(created.url)} width={184} height={184} />}
        <ShareLink
          link={created}
          onChanged={(link) => {
            setCreated(link);
            onCreated();
          }}
        />
        <FormActions>
          <Button onClick={() => setCreated(null)}>{words.another}</Button>
          <Button kind="primary" onClick={() => onOpen(created.id)}>
            {words.open}
          </Button>
        </FormActions>
      </div>
    </Dialog>
  );
}

interface Written {
  amount: string;
  currency: string;
  description: string;
  reference: string;
  customerEmail: string;
  lifetime: Lifetime;
  hours: string;
}

const NEW: Written = {
  ...{ amount: "", currency: "EUR", description: "", reference: "", customerEmail: "" },
  ...{ lifetime: "168", hours: "48" },
};

function CreateForm({ onClose, onCreated }: { onClose: () => void; onCreated: (link: PaymentLinkJson) => void }) {
  const { paymentLinks: words } = text();
  const form = useFormValues(NEW, problemsOf);
  const { values: written, change, problem } = form;
  const sendOnce = useSendOnce();
  const create = useAction(async () => {
    const { amount, currency, description, reference, customerEmail } = written;
    const amountMinor = minorOf(amount, currency);
    const body = {
      ...{ amountMinor, currency, description: description.trim(), expiresInHours: hoursOf(written) },
      ...(reference.trim() === "" ? {} : { reference: reference.trim() }),
      ...(customerEmail.trim() === "" ? {} : { customerEmail: customerEmail.trim() }),
    };
    onCreated(await sendOnce(body, (idempotencyKey) => post<PaymentLinkJson>("/payment-links", body, { idempotencyKey })));
  });
  return (
    <FormDialog title={words.create} action={create} onSubmit={() => form.submit(create.run)} submit={words.createNow} onClose={onClose}>
      <div class="fields-pair">
        <AmountField
          label={words.amount}
          currency={written.currency}
          value={written.amount}
          error={problem("amount")}
          onInput={(amount) => change({ amount })}
          autoFocus
        />
        <SelectField
          label={words.currency}
          value={written.currency}
          options={currencyChoices()}
          onChange={(currency) => change({ currency })}
        />
      </div>
      <TextField
        label={words.description}
        hint={words.descriptionHint}
        autoComplete="off"
        maxLength={255}
        value={written.description}
        error={problem("description")}
        onInput={(description) => change({ description })}
      />
      <TextField
        label={words.reference}
        hint={words.referenceHint}
        optional
        autoComplete="off"
        maxLength={255}
        value={written.reference}
        onInput={(reference) => change({ reference })}
      />
      <TextField
        label={words.customerEmail}
        hint={words.customerEmailHint}
        optional
        type="email"
        inputMode="email"
        autoComplete="off"
        maxLength={254}
        value={written.customerEmail}
        error={problem("customerEmail")}
        onInput={(customerEmail) => change({ customerEmail })}
      />
      <div class="fields-pair">
        <SelectField<Lifetime>
          label={words.payableFor}
          value={written.lifetime}
          options={[
            ...LIFETIMES.map((value) => ({ value, label: words.lifetimes[value] })),
            { value: "other" as const, label: words.lifetimes.other },
          ]}
          onChange={(lifetime) => change({ lifetime })}
        />
        {written.lifetime === "other" && (
          <TextField
            label={words.hours}
            hint={words.hoursHint(PORTAL_LINK_HOURS_MAX)}
            inputMode="numeric"
            autoComplete="off"
            maxLength={4}
            value={written.hours}
            error={problem("hours")}
            onInput={(hours) => change({ hours })}
          />
        )}
      </div>
    </FormDialog>
  );
}

function hoursOf({ lifetime, hours }: Pick<Written, "lifetime" | "hours">): number {
  return Number(lifetime === "other" ? hours.trim() : lifetime);
}

function problemsOf(written: Written): Record<"amount" | "description" | "customerEmail" | "hours", string | null> {
  const { paymentLinks: words, fields } = text();
  const { amount, currency, description, customerEmail } = written;
  const hours = hoursOf(written);
  return {
    amount: amountProblem(amount, currency),
    description: description.trim() === "" ? fields.required : null,
    customerEmail: customerEmail.trim() === "" ? null : emailProblem(customerEmail),
    hours:
      Number.isInteger(hours) && hours >= PORTAL_LINK_HOURS_MIN && hours <= PORTAL_LINK_HOURS_MAX
        ? null
        : words.hoursHint(PORTAL_LINK_HOURS_MAX),
  };
}
