import { useState } from "preact/hooks";
import type { AlertRulesJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, Drawer } from "../../components/dialog.tsx";
import { FormActions } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
import { useUnsavedGuard } from "../../state/unsaved.ts";
import { RulesForm } from "./rules-form.tsx";

/** The rules as a form, which is not left by mistake while something of it is not saved. */
export function RulesDrawer({
  rules,
  onClose,
  onStored,
}: {
  rules: AlertRulesJson;
  onClose: () => void;
  onStored: (stored: AlertRulesJson) => void;
}) {
  const { alerts: words, disputes } = text();
  const [unsaved, setUnsaved] = useState(false);
  const [asking, setAsking] = useState(false);
  // Another round of the form begins with what is stored then.
  const [round, setRound] = useState(0);
  const leave = () => (unsaved ? setAsking(true) : onClose());
  useUnsavedGuard(unsaved, () => setAsking(true));
  return (
    <Drawer title={words.rules.title} onClose={leave} wide>
      <RulesForm
        key={round}
        rules={rules}
        onUnsaved={setUnsaved}
        onCancel={leave}
        onSaved={(stored) => {
          setUnsaved(false);
          onStored(stored);
          onClose();
        }}
        onLooked={(stored) => {
          setUnsaved(false);
          onStored(stored);
          setRound(round + 1);
        }}
      />
      {asking && (
        <Dialog title={disputes.respond.unsavedTitle} onClose={() => setAsking(false)}>
          <div class="form">
            <p class="lead">{words.rules.unsavedText}</p>
            <FormActions>
              <Button kind="danger-quiet" onClick={onClose}>
                {disputes.respond.discard}
              </Button>
              <Button kind="primary" onClick={() => setAsking(false)}>
                {disputes.respond.keepEditing}
              </Button>
            </FormActions>
          </div>
        </Dialog>
      )}
    </Drawer>
  );
}
