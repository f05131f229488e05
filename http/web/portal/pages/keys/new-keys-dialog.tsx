import { useState } from "preact/hooks";
import type { NewKeysJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField } from "../../components/field.tsx";
import { text } from "../../i18n/texts.ts";
import { useObjectAddress } from "../../state/object-address.ts";
import { merchant } from "../../state/session.ts";
import { useUnsavedGuard } from "../../state/unsaved.ts";

const PAGES = { agent_credential: "agents", webhook_endpoint: "webhooks" } as const;

/** What the former secret key made: what has ended, and where to end the rest. */
function MadeByKey({ made }: Pick<NewKeysJson, "made">) {
  const { keys: words } = text();
  return (
    <div>
      <h3>{words.madeByKey}</h3>
      <p>{words.madeByKeyText}</p>
      <ul>
        {made.map(({ type, id, mark, ended, certain }) => (
          <li key={id}>
            {type === "webhook_endpoint" ? words.madeWebhook(mark) : words.madeAgent(mark)}{" "}
            {ended ? (
              words.madeEnded
            ) : (
              <a href={`/portal/${PAGES[type]}`} target="_blank" rel="noreferrer">
                {certain ? words.madeGoesOn : words.madeUnsure}
              </a>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The new pair, whose secret is shown this once: it stays until the person says that it is saved. */
export function NewKeysDialog({ keys: { publishableKey, secretKey, made }, onSaved }: { keys: NewKeysJson; onSaved: () => void }) {
  const { keys: words, recovery } = text();
  const [saved, setSaved] = useState(false);
  const file = `${words.fileHead(merchant.value?.merchantName ?? "")}\n\n${words.publishable}: ${publishableKey}\n${words.secret}: ${secretKey}\n`;
  const address = useObjectAddress(file);
  useUnsavedGuard(!saved, () => {});
  return (
    <Dialog title={words.madeTitle}>
      <div class="form">
        <Banner kind="warning">{words.madeText}</Banner>
        <div>
          <h3>{words.secret}</h3>
          <p class="key-once">
            <code>{secretKey}</code>
          </p>
        </div>
        <div class="button-row">
          <CopyButton value={secretKey} label={words.copySecret} />
          {address !== null && (
            <ButtonLink icon="download" href={address} download={words.fileName}>
              {words.download}
            </ButtonLink>
          )}
        </div>
        <div>
          <h3>{words.publishable}</h3>
          <p class="key-once">
            <code>{publishableKey}</code>
          </p>
        </div>
        {made.length > 0 && <MadeByKey made={made} />}
        <CheckField label={words.saved} checked={saved} onChange={setSaved} />
        <Button kind="primary" wide disabled={!saved} onClick={onSaved}>
          {recovery.done}
        </Button>
      </div>
    </Dialog>
  );
}
