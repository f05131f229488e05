import type { ComponentChildren } from "preact";
import { text } from "../i18n/texts.ts";
import type { Action } from "../state/action.ts";
import { Button, type ButtonKind } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, FormActions } from "./form.tsx";
import type { IconName } from "./icon.tsx";

export interface DialogFormProps {
  /** What sending it does: it says what failed, and is waited for. */
  action: Pick<Action<[]>, "busy" | "error">;
  onSubmit: () => void;
  /** The word on the button: what will happen. */
  submit: string;
  kind?: ButtonKind;
  icon?: IconName;
  /** The word for leaving everything as it is. */
  cancel?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** The form of a dialog, with the two ways out of it below. */
export function DialogForm({ action, onSubmit, submit, kind = "primary", icon, cancel, onClose, children }: DialogFormProps) {
  return (
    <Form onSubmit={onSubmit} error={action.error} busy={action.busy}>
      {children}
      <FormActions>
        <Button onClick={onClose}>{cancel ?? text().app.cancel}</Button>
        <Button type="submit" kind={kind} icon={icon} busy={action.busy}>
          {submit}
        </Button>
      </FormActions>
    </Form>
  );
}

/** A dialog that is one form. It stays open while it is sent, and says why where that failed. */
export function FormDialog({ title, ...form }: DialogFormProps & { title: string }) {
  return (
    <Dialog title={title} onClose={form.onClose}>
      <DialogForm {...form} />
    </Dialog>
  );
}
