import { useState } from "preact/hooks";
import type { AlertRulesJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { Drawer } from "../../components/dialog.tsx";
import { text } from "../../i18n/texts.ts";
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
  // A new round mounts the form again with the rules that are stored then.
  const [round, setRound] = useState(0);
  return (
    <Drawer title={words.rules.title} onClose={onClose} unsaved={unsaved ? text().app.leaveText : null} wide>
      <RulesForm
        key={round}
        rules={rules}
        onUnsaved={setUnsaved}
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
    </Drawer>
  );
}
