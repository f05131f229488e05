import type { ComponentChildren } from "preact";
import { text } from "../i18n/texts.ts";
import { useAction } from "../state/action.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, FormActions } from "./form.tsx";

/** Asks before something that is not easily undone. It stays open while it runs, and says why where it failed. */
export function ConfirmDialog({
  title,
  confirm,
  danger,
  act,
  onClose,
  children,
}: {
  title: string;
  /** The word on the button: what will happen. */
  confirm: string;
  danger?: boolean;
  act: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const action = useAction(async () => {
    await act();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => void action.run()} error={action.error} busy={action.busy}>
        <p class="lead">{children}</p>
        <FormActions>
          <Button onClick={onClose}>{text().app.cancel}</Button>
          <Button type="submit" kind={danger === true ? "danger" : "primary"} busy={action.busy}>
            {confirm}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
