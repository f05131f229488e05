import { useState } from "preact/hooks";
import type { AttentionItemJson } from "../../../../surfaces/admin/attention.ts";
import { remove } from "../../../portal/api/client.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button, ButtonLink } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { Copyable } from "../../../portal/components/copy.tsx";
import { Drawer } from "../../../portal/components/dialog.tsx";
import { formatExactTime } from "../../../portal/i18n/format.ts";
import { toast } from "../../../portal/state/toasts.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { may } from "../../state/session.ts";
import { searchHref } from "../search/address.ts";

/** One of them: what it means, what to do, what is known of it, and where to look further. */
export function AttentionDrawer({ item, onClose, onDone }: { item: AttentionItemJson; onClose: () => void; onDone: () => void }) {
  const { attention: own } = words();
  const { kind, at, terminalId, uuid, detail, raw } = item;
  const { title, means, todo } = own.kinds[kind];
  const [asking, setAsking] = useState(false);
  return (
    <Drawer title={title} onClose={onClose}>
      <p>{means}</p>
      <Banner>
        <strong>{own.whatToDo}</strong> {todo}
      </Banner>
      <Facts
        of={[
          [own.time, formatExactTime(at)],
          terminalId === "" ? null : [own.terminal, terminalId],
          [own.uuid, uuid === null ? "–" : <Copyable key="uuid" value={uuid} />],
          [own.detail, detail],
        ]}
      />
      <div class="button-row">
        {uuid !== null && (
          <ButtonLink icon="search" kind="primary" href={searchHref(uuid)}>
            {own.searchIt}
          </ButtonLink>
        )}
        {terminalId !== "" && (
          <ButtonLink icon="terminals" href={pageHref("terminals", terminalId)}>
            {own.itsTerminal}
          </ButtonLink>
        )}
        {may("operator") && (
          <Button icon="check" onClick={() => setAsking(true)}>
            {own.done}
          </Button>
        )}
      </div>
      {raw !== null && (
        <section>
          <h3>{own.raw}</h3>
          <p class="muted">{own.rawHint}</p>
          {/* The keyboard scrolls it. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached. */}
          <pre class="raw" tabIndex={0}>
            {raw}
          </pre>
        </section>
      )}
      <p class="muted">{own.goes}</p>
      {asking && (
        <ConfirmDialog
          title={own.doneTitle}
          confirm={own.done}
          act={async () => {
            await remove(`/attention/${encodeURIComponent(item.id)}`);
            toast(own.isDone);
            onDone();
          }}
          onClose={() => setAsking(false)}
        >
          {own.doneText}
        </ConfirmDialog>
      )}
    </Drawer>
  );
}
