import type { ComponentChildren } from "preact";
import { text } from "../i18n/texts.ts";
import type { Action } from "../state/action.ts";
import { Button, type ButtonKind } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, FormActions } from "./form.tsx";
import type { IconName } from "./icon.tsx";

export interface DialogFormProps {
  /** What sending it does: it says what failed, and is waited for. Absent where nothing is sent yet. */
  action?: Pick<Action<[]>, "busy" | "error">;
  onSubmit: () => void;
  /** The word on the button: what will happen. */
  submit: string;
  kind?: ButtonKind;
  icon?: IconName;
  /** The word on the other button: leaving everything as it is, unless `onCancel` does something else. */
  cancel?: string;
  onCancel?: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

const IDLE = { busy: false, error: null };

/** The form of a dialog, with the two ways out of it below. */
export function DialogForm({ action = IDLE, onSubmit, submit, kind = "primary", icon, cancel, onClose, ...props }: DialogFormProps) {
  return (
    <Form onSubmit={onSubmit} error={action.error} busy={action.busy}>
      {props.children}
      <FormActions>
        <Button onClick={props.onCancel ?? onClose}>{cancel ?? text().app.cancel}</Button>
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
