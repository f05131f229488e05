import { useState } from "preact/hooks";
import type { AlertRulesJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { Drawer } from "../../components/dialog.tsx";
import { LeaveDialog } from "../../components/leave-dialog.tsx";
import { text } from "../../i18n/texts.ts";
import { useUnsavedGuard } from "../../state/unsaved.ts";
import { RulesForm } from "./rules-form.tsx";

/** Edits the rules, and asks before it closes with unsaved changes. */
export function RulesDrawer({
  rules,
  onClose,
  onStored,
}: {
  rules: AlertRulesJson;
  onClose: () => void;
  onStored: (stored: AlertRulesJson) => void;
}) {
  const { alerts: words } = text();
  const [unsaved, setUnsaved] = useState(false);
  const [asking, setAsking] = useState(false);
  // A new round mounts the form again with the rules that are stored then.
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
        <LeaveDialog onStay={() => setAsking(false)} onLeave={onClose}>
          {words.rules.unsavedText}
        </LeaveDialog>
      )}
    </Drawer>
  );
}
