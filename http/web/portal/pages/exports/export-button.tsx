import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { text } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { ExportDialog } from "./export-dialog.tsx";
import type { ExportScope } from "./words.ts";

/** Exports the list as it is filtered, if the person's role permits it. */
export function ExportButton(scope: ExportScope) {
  const [open, setOpen] = useState(false);
  if (!may("operate")) return null;
  return (
    <>
      <Button icon="download" onClick={() => setOpen(true)}>
        {text().exports.export}
      </Button>
      {open && <ExportDialog {...scope} onClose={() => setOpen(false)} />}
    </>
  );
}
