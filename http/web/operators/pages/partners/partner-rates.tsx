import { useState } from "preact/hooks";
import type { RaisableRate } from "../../../../../engine/partners/partner.ts";
import { put } from "../../../portal/api/client.ts";
import { Button } from "../../../portal/components/button.tsx";
import { TextField } from "../../../portal/components/field.tsx";
import { FormDialog } from "../../../portal/components/form-dialog.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { useAction } from "../../../portal/state/action.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { PartnerJson } from "../../api/types.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";

type Rates = PartnerJson["rateLimits"];

/** As `PARTNER_RATE_MAX` of the engine, which decides; this is to say so before anything is sent. */
const RATE_MAX = 1_000;

/** Longer ones are no rate; a space at an end is forgiven. */
const RATE_LENGTH_MAX = 8;

interface Edited {
  partner: PartnerJson;
  path: string;
  onChanged: (partner: PartnerJson) => void;
}

/** What a partner has beyond the limits of its addresses; owners change it. */
export function PartnerRates(edited: Edited) {
  const { partners: own } = words();
  const { pay, get } = edited.partner.rateLimits;
  const [editing, setEditing] = useState(false);
  const shown = (rate: number | undefined) => (rate === undefined ? own.noRate : own.perSecond(formatNumber(rate)));
  return (
    <section>
      <h3>{own.rates}</h3>
      <p class="muted">{own.ratesText}</p>
      <Facts
        of={[
          [own.payRate, shown(pay)],
          [own.getRate, shown(get)],
        ]}
      />
      {may("owner") && (
        <div class="button-row">
          <Button onClick={() => setEditing(true)}>{own.changeRates}</Button>
        </div>
      )}
      {editing && <RatesDialog {...edited} onClose={() => setEditing(false)} />}
    </section>
  );
}

function RatesDialog({ partner: { username, rateLimits }, path, onChanged, onClose }: Edited & { onClose: () => void }) {
  const { partners: own } = words();
  const [entered, setEntered] = useState({ pay: textOf(rateLimits.pay), get: textOf(rateLimits.get) });
  const [checked, setChecked] = useState(false);
  const wrong = (name: RaisableRate) => !isRate(entered[name]);
  const change = useAction(async () => {
    onChanged(await put<PartnerJson>(path, { rateLimits: { ...rateOf("pay", entered.pay), ...rateOf("get", entered.get) } }));
    toast(own.ratesChanged(username));
    onClose();
  });
  const field = (name: RaisableRate, label: string, autoFocus: boolean) => (
    <TextField
      label={label}
      name={name}
      inputMode="numeric"
      autoComplete="off"
      maxLength={RATE_LENGTH_MAX}
      optional
      hint={own.rateHint(formatNumber(RATE_MAX))}
      value={entered[name]}
      onInput={(value) => setEntered((before) => ({ ...before, [name]: value }))}
      error={checked && wrong(name) ? own.rateForm(formatNumber(RATE_MAX)) : null}
      autoFocus={autoFocus}
    />
  );
  return (
    <FormDialog
      title={own.ratesTitle(username)}
      action={change}
      onSubmit={() => {
        setChecked(true);
        if (!wrong("pay") && !wrong("get")) void change.run();
      }}
      submit={own.save}
      onClose={onClose}
    >
      <p class="lead">{own.ratesText}</p>
      {field("pay", own.payRate, true)}
      {field("get", own.getRate, false)}
    </FormDialog>
  );
}

const textOf = (rate: number | undefined): string => (rate === undefined ? "" : String(rate));

/** Nothing, or a number that the relay takes. */
function isRate(text: string): boolean {
  const rate = text.trim();
  return rate === "" || (/^[1-9]\d*$/.test(rate) && Number(rate) <= RATE_MAX);
}

function rateOf(name: RaisableRate, text: string): Rates {
  return text.trim() === "" ? {} : { [name]: Number(text.trim()) };
}
