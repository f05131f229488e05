import type { ComponentChildren } from "preact";
import { useAction } from "../state/action.ts";
import { FormDialog } from "./form-dialog.tsx";

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
