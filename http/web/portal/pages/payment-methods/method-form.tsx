import type { Static } from "@sinclair/typebox";
import { useLayoutEffect, useState } from "preact/hooks";
import type { PaymentMethodJson, PaymentMethods } from "../../../../surfaces/merchant/methods/schemas.ts";
import { get, put } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CancelButton } from "../../components/dialog.tsx";
import { ChoiceField, TextAreaField, TextField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { toast } from "../../state/toasts.ts";
import { charactersOf } from "./characters.ts";
import { FreeMembers } from "./free-members.tsx";
import {
  bodyOf,
  freeNameProblem,
  freeValueProblem,
  hasLines,
  isCounted,
  memberLabel,
  memberProblem,
  type Written,
  writtenOf,
} from "./written.ts";

type Member = NonNullable<PaymentMethodJson["members"]>[number];

export interface MethodFormProps {
  method: PaymentMethodJson;
  onUnsaved: (unsaved: boolean) => void;
  onSaved: (changed: PaymentMethodJson) => void;
  /** Runs when another person saved first and this person wants to see what is stored now. */
  onStored: (stored: PaymentMethodJson) => void;
}

/** Edits the configuration of a method. The service's members decide the fields. */
export function MethodForm({ method, onUnsaved, onSaved, onStored }: MethodFormProps) {
  const { paymentMethods: words, app, fields } = text();
  // Saving replaces only the configuration that the form was opened with.
  const [looked] = useState(method);
  const [written, setWritten] = useState(() => writtenOf(method));
  const [checked, setChecked] = useState(false);
  const sendOnce = useSendOnce();
  const { service, members } = looked;
  const unsaved = JSON.stringify(written) !== JSON.stringify(writtenOf(looked));
  // A layout effect runs before the person can press anything else.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on `unsaved` only.
  useLayoutEffect(() => onUnsaved(unsaved), [unsaved]);
  const save = useAction(async () => {
    const body = bodyOf(looked, written);
    const query = { seen: looked.updatedAt ?? "never" };
    const path = `/payment-methods/${service}`;
    onSaved(await sendOnce(body, (idempotencyKey) => put<PaymentMethodJson>(path, body, { query, idempotencyKey })));
    toast(words.saved(words.services[service].name));
  });
  const look = useAction(async () => {
    const { items } = await get<Static<typeof PaymentMethods>>("/payment-methods");
    const stored = items.find((one) => one.service === service);
    if (stored !== undefined) onStored(stored);
  });
  const wasChanged = hasCode(save.error, "conflict");
  return (
    <Form
      // A concurrent change has a banner of its own.
      error={wasChanged ? null : save.error}
      busy={save.busy}
      onSubmit={() => {
        setChecked(true);
        if (isWhole(looked, written)) void save.run();
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
      {service === "BANCOMAT_PAY" && <Banner>{words.bancomatLimits}</Banner>}
      <ChoiceField
        label={words.mode}
        value={written.mode ?? ""}
        options={[
          { value: "sandbox", label: words.modes.sandbox, hint: words.modeHints.sandbox },
          { value: "live", label: words.modes.live, hint: words.modeHints.live },
        ]}
        onChange={(mode) => setWritten({ ...written, mode: mode === "live" ? "live" : "sandbox" })}
      />
      {checked && written.mode === null && (
        <p class="field-error" role="alert">
          {fields.required}
        </p>
      )}
      {members?.map((member) => (
        <MemberField
          key={member.name}
          member={member}
          method={looked}
          value={written.values[member.name] ?? ""}
          checked={checked}
          onInput={(value) => setWritten({ ...written, values: { ...written.values, [member.name]: value } })}
        />
      ))}
      {members === null && <FreeMembers members={written.free} checked={checked} onChange={(free) => setWritten({ ...written, free })} />}
      <FormActions>
        <CancelButton />
        <Button type="submit" kind="primary" busy={save.busy}>
          {app.save}
        </Button>
      </FormActions>
    </Form>
  );
}

function isWhole(method: PaymentMethodJson, { mode, values, free }: Written): boolean {
  return (
    mode !== null &&
    (method.members ?? []).every((member) => memberProblem(member, method, values[member.name] ?? "") === null) &&
    free.every((member) => freeNameProblem(member, free) === null && freeValueProblem(member) === null)
  );
}

function MemberField({
  member,
  method,
  value,
  checked,
  onInput,
}: {
  member: Member;
  method: PaymentMethodJson;
  value: string;
  checked: boolean;
  onInput: (value: string) => void;
}) {
  const { paymentMethods: words } = text();
  const { name, secret, maxLength } = member;
  const mask = secret ? method.values[name] : undefined;
  const tooLong = charactersOf(value) > maxLength;
  const shared = {
    label: memberLabel(name),
    value,
    onInput,
    hint: mask === undefined ? undefined : words.stored(mask),
    count: isCounted(member) ? words.count(charactersOf(value), maxLength) : undefined,
    // A value that is too long is reported at once, other mistakes when the form is saved.
    error: checked || tooLong ? memberProblem(member, method, value) : null,
  };
  if (hasLines(member)) return <TextAreaField {...shared} />;
  return secret ? <TextField {...shared} type="password" autoComplete="new-password" /> : <TextField {...shared} autoComplete="off" />;
}
