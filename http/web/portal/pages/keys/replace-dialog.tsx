import type { NewKeysJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { post } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";

/** Says what stops working, and makes the new pair. An answer that did not arrive is asked for again, and is the same pair. */
export function ReplaceDialog({ onClose, onMade }: { onClose: () => void; onMade: (keys: NewKeysJson) => void }) {
  const { keys: words } = text();
  const sendOnce = useSendOnce();
  const replace = useAction(async () =>
    onMade(await sendOnce("new keys", (idempotencyKey) => post<NewKeysJson>("/keys", undefined, { idempotencyKey }))),
  );
  return (
    <FormDialog title={words.replaceTitle} action={replace} onSubmit={replace.run} submit={words.replace} kind="danger" onClose={onClose}>
      <p class="lead">{words.replaceText}</p>
      <ul class="breaks">
        {words.breaks.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </FormDialog>
  );
}
