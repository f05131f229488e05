import { useState } from "preact/hooks";
import type { NewKeysJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { remove } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { CheckField } from "../../components/field.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useObjectAddress } from "../../state/object-address.ts";
import { merchant } from "../../state/session.ts";
import { useUnsavedGuard } from "../../state/unsaved.ts";

/** Shows what the previous secret key created: what has ended, and a way to end the rest. */
function MadeByKey({ made }: Pick<NewKeysJson, "made">) {
  const { keys: words } = text();
  return (
    <div>
      <h3>{words.madeByKey}</h3>
      <p>{words.madeByKeyText}</p>
      <ul>
        {made.map((item) => (
          <MadeItem key={item.id} item={item} />
        ))}
      </ul>
    </div>
  );
}

function MadeItem({ item: { type, mark, ended, certain, end } }: { item: NewKeysJson["made"][number] }) {
  const { keys: words } = text();
  const [isOver, setOver] = useState(ended);
  const ending = useAction(async () => {
    await remove((end ?? "").replace("DELETE /api/merchant", ""));
    setOver(true);
  });
  const what = type === "webhook_endpoint" ? words.madeWebhook(mark) : words.madeAgent(mark);
  if (isOver) return <li>{`${what} ${words.madeEnded}`}</li>;
  return (
    <li>
      {`${what} ${certain ? words.madeGoesOn : words.madeUnsure}`}{" "}
      <Button small busy={ending.busy} onClick={() => void ending.run()}>
        {words.endMade}
      </Button>
      {ending.error !== null && <Banner kind="danger">{errorText(ending.error)}</Banner>}
    </li>
  );
}

/**
 * Shows the new pair. The secret is shown once, so the dialog closes only when the person confirms
 * that it is saved.
 */
export function NewKeysDialog({
  keys: { publishableKey, secretKey, environment, made },
  onSaved,
}: {
  keys: NewKeysJson;
  onSaved: () => void;
}) {
  const { keys: words, recovery } = text();
  const [saved, setSaved] = useState(false);
  const file = `${words.fileHead(merchant.value?.merchantName ?? "")} (${environment})\n\n${words.publishable}: ${publishableKey}\n${words.secret}: ${secretKey}\n`;
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
