import type { ComponentChildren } from "preact";
import type { Action } from "../state/action.ts";
import { Button, type ButtonKind } from "./button.tsx";
import { CancelButton, Dialog, type DialogProps } from "./dialog.tsx";
import { Form, FormActions } from "./form.tsx";
import type { IconName } from "./icon.tsx";

export interface DialogFormProps {
  /**
   * The running action: its error is shown and the form waits for it. Absent if nothing is sent
   * yet.
   */
  action?: Pick<Action<[]>, "busy" | "error">;
  onSubmit: () => void;
  /** The text of the submit button names the action. */
  submit: string;
  kind?: ButtonKind;
  icon?: IconName;
  /** The text of the other button, which changes nothing unless `onCancel` is set. */
  cancel?: string;
  onCancel?: () => void;
  children: ComponentChildren;
}

const IDLE = { busy: false, error: null };

/** A form with its two buttons, for a dialog. */
export function DialogForm({ action = IDLE, onSubmit, submit, kind = "primary", icon, cancel, onCancel, children }: DialogFormProps) {
  return (
    <Form onSubmit={onSubmit} error={action.error} busy={action.busy}>
      {children}
      <FormActions>
        {onCancel === undefined ? <CancelButton>{cancel}</CancelButton> : <Button onClick={onCancel}>{cancel}</Button>}
        <Button type="submit" kind={kind} icon={icon} busy={action.busy}>
          {submit}
        </Button>
      </FormActions>
    </Form>
  );
}

/** A dialog with one form. It stays open while the form is sent, and shows why that failed. */
export function FormDialog({
  title,
  unsaved,
  onClose,
  ...form
}: DialogFormProps & Pick<DialogProps, "title" | "unsaved"> & { onClose: () => void }) {
  return (
    <Dialog title={title} unsaved={unsaved} onClose={onClose}>
      <DialogForm {...form} />
    </Dialog>
  );
}
