import { useState } from "preact/hooks";
import type { MailJson, MailWithTextJson } from "../../../../surfaces/admin/mail-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { Drawer } from "../../../portal/components/dialog.tsx";
import { errorText } from "../../../portal/i18n/error-text.ts";
import { formatExactTime } from "../../../portal/i18n/format.ts";
import { useAction } from "../../../portal/state/action.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { MailState } from "./mail-state.tsx";

/** A mail, and for owners what is in it: where nothing sends mail somebody has to pass it on. */
export function MailDrawer({ mail, onClose }: { mail: MailJson; onClose: () => void }) {
  const { mails: own } = words();
  const { id, to, kind, state, merchantId, attempts, createdAt, expiresAt, endedAt } = mail;
  const [content, setContent] = useState<MailWithTextJson | null>(null);
  const open = useAction(async () => setContent(await get<MailWithTextJson>(`/mails/${encodeURIComponent(id)}`)));
  return (
    <Drawer title={own.kinds[kind]} onClose={onClose}>
      <Facts
        of={[
          [
            own.to,
            <span key="to" class="break">
              {to}
            </span>,
          ],
          [own.state, <MailState key="state" state={state} />],
          merchantId === null ? null : [own.merchant, merchantId],
          [own.attempts, attempts],
          [own.created, formatExactTime(createdAt)],
          endedAt === null ? [own.expires, formatExactTime(expiresAt)] : [own.ended, formatExactTime(endedAt)],
        ]}
      />
      {open.error !== null && (
        <Banner kind="danger" alert>
          {errorText(open.error)}
        </Banner>
      )}
      {content === null && state === "QUEUED" && may("owner") && (
        <section>
          <p class="muted">{own.readHint}</p>
          <div class="button-row">
            <Button icon="mail" busy={open.busy} onClick={() => void open.run()}>
              {own.read}
            </Button>
          </div>
        </section>
      )}
      {content !== null &&
        (content.text === null ? (
          <Banner>{own.noText}</Banner>
        ) : (
          <section>
            <h3>{content.subject}</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached. */}
            <pre class="raw raw-text" tabIndex={0}>
              {content.text}
            </pre>
          </section>
        ))}
    </Drawer>
  );
}
