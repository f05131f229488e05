import { useState } from "preact/hooks";
import {
  MACHINE_RIGHTS,
  MACHINE_TOKEN_DAYS_DEFAULT,
  MACHINE_TOKEN_DAYS_MAX,
  type MachineRight,
} from "../../../../../engine/access/machine-token.ts";
import { post } from "../../../portal/api/client.ts";
import { CheckField, TextField } from "../../../portal/components/field.tsx";
import { FormDialog } from "../../../portal/components/form-dialog.tsx";
import { useAction } from "../../../portal/state/action.ts";
import type { MachineTokenWithSecretJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";

const NAME = /^[A-Za-z0-9._@+-]{1,64}$/;

export function CreateTokenDialog({ onClose, onMade }: { onClose: () => void; onMade: (made: MachineTokenWithSecretJson) => void }) {
  const { machines: own } = words();
  const [name, setName] = useState("");
  const [days, setDays] = useState(String(MACHINE_TOKEN_DAYS_DEFAULT));
  const [rights, setRights] = useState<readonly MachineRight[]>(["read"]);
  const [checked, setChecked] = useState(false);
  const expiresInDays = /^\d{1,3}$/.test(days) ? Number(days) : 0;
  const problems = {
    name: NAME.test(name) ? null : own.nameForm,
    days: expiresInDays >= 1 && expiresInDays <= MACHINE_TOKEN_DAYS_MAX ? null : own.daysForm(MACHINE_TOKEN_DAYS_MAX),
    rights: rights.length > 0 ? null : own.rightsForm,
  };
  const create = useAction(async () => onMade(await post<MachineTokenWithSecretJson>("/machine-tokens", { name, rights, expiresInDays })));
  return (
    <FormDialog
      title={own.create}
      action={create}
      submit={own.create}
      onClose={onClose}
      onSubmit={() => {
        setChecked(true);
        if (Object.values(problems).every((problem) => problem === null)) void create.run();
      }}
    >
      <p class="lead">{own.createText}</p>
      <TextField
        label={own.name}
        hint={own.nameHint}
        autoComplete="off"
        maxLength={64}
        value={name}
        onInput={setName}
        error={checked ? problems.name : null}
        autoFocus
      />
      <TextField
        label={own.days}
        inputMode="numeric"
        autoComplete="off"
        maxLength={3}
        value={days}
        onInput={setDays}
        error={checked ? problems.days : null}
      />
      <fieldset class="choices checks">
        <legend class="field-label">{own.rights}</legend>
        {MACHINE_RIGHTS.map((right) => (
          <CheckField
            key={right}
            label={
              <>
                <span class="choice-label">{own.rightNames[right]}</span>
                <span class="choice-hint">{own.rightHints[right]}</span>
              </>
            }
            checked={rights.includes(right)}
            onChange={(on) => setRights(on ? [...rights, right] : rights.filter((one) => one !== right))}
          />
        ))}
        <p class="field-error" role="alert">
          {checked ? problems.rights : null}
        </p>
      </fieldset>
    </FormDialog>
  );
}
