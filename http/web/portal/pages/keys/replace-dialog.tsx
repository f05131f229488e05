import { useState } from "preact/hooks";
import type { EnvironmentKeysJson, NewKeysJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { post } from "../../api/client.ts";
import { CheckField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";

interface ReplaceDialogProps {
  /** The current keys of the environment. */
  keys: EnvironmentKeysJson;
  onClose: () => void;
  onMade: (keys: NewKeysJson) => void;
}

/**
 * Explains what stops working, and creates a new pair. A retry after a lost answer returns the same
 * pair.
 */
export function ReplaceDialog({ keys: { environment, exists }, onClose, onMade }: ReplaceDialogProps) {
  const { keys: words } = text();
  const sendOnce = useSendOnce();
  const [leaked, setLeaked] = useState(false);
  const replace = useAction(async () => {
    const body = { reason: leaked ? "leaked" : "routine", environment };
    onMade(await sendOnce(body, (idempotencyKey) => post<NewKeysJson>("/keys", body, { idempotencyKey })));
  });
  return (
    <FormDialog title={words.replaceTitle} action={replace} onSubmit={replace.run} submit={words.replace} kind="danger" onClose={onClose}>
      {exists ? (
        <>
          <p class="lead">{words.replaceText}</p>
          <ul class="breaks">
            {words.breaks.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          <CheckField label={words.leaked} checked={leaked} onChange={setLeaked} />
          <p class="field-hint">{words.leakedText}</p>
        </>
      ) : (
        <p class="lead">{words.firstText(environment)}</p>
      )}
    </FormDialog>
  );
}
