import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type CallOptions, call } from "../api/client.ts";
import { PortalError } from "../api/errors.ts";
import { TextField } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import type { Catalogue } from "../i18n/en.ts";
import { text } from "../i18n/texts.ts";
import { useAction } from "../state/action.ts";
import { useSendOnce } from "../state/send-once.ts";
import { toast } from "../state/toasts.ts";

export interface ActionDialogOptions<Target, Field extends string> {
  /** Where the interface takes the action. */
  endpoint: (target: Target) => string;
  /** `POST` is sent with a key, so that a repetition is executed once. */
  method?: "POST" | "DELETE";
  deadlineMs?: number;
  /** Texts that a person may add; empty ones are not sent. */
  fields?: Readonly<Record<Field, { readonly lengthMax: number }>>;
  words: (
    all: Catalogue,
    target: Target,
  ) => {
    title: string;
    text: ComponentChildren;
    /** The word on the button names the effect. */
    confirm: string;
    /** The note that is shown afterwards. */
    done: string;
    fields?: Readonly<Record<Field, { readonly label: string; readonly hint?: string }>>;
  };
}

export interface ActionDialogProps<Target> {
  target: Target;
  onClose: () => void;
  /** The object changed, or the relay has reported that it had changed before. */
  onSettled: () => void;
}

/** Makes a dialog that asks before an action which cannot be undone, and sends it. */
export function actionDialog<Target, Field extends string = never>(options: ActionDialogOptions<Target, Field>) {
  return (props: ActionDialogProps<Target>) => <ActionDialog {...props} options={options} />;
}

function ActionDialog<Target, Field extends string>({
  target,
  onClose,
  onSettled,
  options: { endpoint, method = "POST", deadlineMs, fields, words },
}: ActionDialogProps<Target> & { options: ActionDialogOptions<Target, Field> }) {
  const shown = words(text(), target);
  const limits: Readonly<Record<string, { lengthMax: number }>> = fields ?? {};
  const labels: Readonly<Record<string, { label: string; hint?: string }>> = shown.fields ?? {};
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const sendOnce = useSendOnce();
  const action = useAction(async () => {
    const written = Object.entries(typed).flatMap(([name, value]) => (value.trim() === "" ? [] : [[name, value.trim()]]));
    const sent: CallOptions = {
      ...(fields === undefined ? {} : { body: Object.fromEntries(written) }),
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    };
    const path = endpoint(target);
    try {
      if (method === "DELETE") await call(method, path, sent);
      else await sendOnce([path, sent.body], (idempotencyKey) => call(method, path, { ...sent, idempotencyKey }));
    } catch (error) {
      // The object is in another state than the page shows.
      if (error instanceof PortalError && error.status === 409) onSettled();
      throw error;
    }
    toast(shown.done);
    onSettled();
    onClose();
  });
  return (
    <FormDialog title={shown.title} action={action} onSubmit={action.run} submit={shown.confirm} kind="danger" onClose={onClose}>
      <p class="lead">{shown.text}</p>
      {Object.entries(limits).map(([name, { lengthMax }], index) => (
        <TextField
          key={name}
          label={labels[name]?.label ?? name}
          hint={labels[name]?.hint}
          optional
          autoComplete="off"
          maxLength={lengthMax}
          value={typed[name] ?? ""}
          onInput={(value) => setTyped((before) => ({ ...before, [name]: value }))}
          autoFocus={index === 0}
        />
      ))}
    </FormDialog>
  );
}
