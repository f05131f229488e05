import type { NewKeysJson } from "../../../../surfaces/merchant/schemas.ts";
import { post } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";

/** Says what stops working, and makes the new pair. An answer that did not arrive is asked for again, and is the same pair. */
export function ReplaceDialog({ onClose, onMade }: { onClose: () => void; onMade: (keys: NewKeysJson) => void }) {
  const { keys: words, app } = text();
  const sendOnce = useSendOnce();
  const replace = useAction(async () =>
    onMade(await sendOnce("new keys", (idempotencyKey) => post<NewKeysJson>("/keys", undefined, { idempotencyKey }))),
  );
  return (
    <Dialog title={words.replaceTitle} onClose={onClose}>
      <Form onSubmit={() => void replace.run()} error={replace.error} busy={replace.busy}>
        <p class="lead">{words.replaceText}</p>
        <ul class="breaks">
          {words.breaks.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        <FormActions>
          <Button onClick={onClose}>{app.cancel}</Button>
          <Button type="submit" kind="danger" busy={replace.busy}>
            {words.replace}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
