import type { ComponentChildren } from "preact";
import { text } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormActions } from "./form.tsx";

/** Asks before unsaved text is lost (state/unsaved.ts). */
export function LeaveDialog({ onStay, onLeave, children }: { onStay: () => void; onLeave: () => void; children: ComponentChildren }) {
  const { app } = text();
  return (
    <Dialog title={app.leaveTitle} onClose={onStay}>
      <div class="form">
        <p class="lead">{children}</p>
        <FormActions>
          <Button kind="danger-quiet" onClick={onLeave}>
            {app.leaveNow}
          </Button>
          <Button kind="primary" onClick={onStay}>
            {app.keepEditing}
          </Button>
        </FormActions>
      </div>
    </Dialog>
  );
}
