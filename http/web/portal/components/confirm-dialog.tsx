import type { ComponentChildren } from "preact";
import { useAction } from "../state/action.ts";
import { FormDialog } from "./form-dialog.tsx";

/**
 * Asks before an action that is hard to undo. It stays open while the action runs, and shows why it
 * failed.
 */
export function ConfirmDialog({
  title,
  confirm,
  danger,
  act,
  onClose,
  children,
}: {
  title: string;
  /** The text of the button names the action. */
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
    <FormDialog
      title={title}
      action={action}
      onSubmit={action.run}
      submit={confirm}
      kind={danger === true ? "danger" : "primary"}
      onClose={onClose}
    >
      <p class="lead">{children}</p>
    </FormDialog>
  );
}
