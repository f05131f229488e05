import { useState } from "preact/hooks";
import type { EnvironmentKeysJson, KeysJson, NewKeysJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { get } from "../../api/client.ts";
import { Badge } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { CompatibleApi } from "./compatible-api.tsx";
import { NewKeysDialog } from "./new-keys-dialog.tsx";
import { PendingKeys } from "./pending-keys.tsx";
import { ReplaceDialog } from "./replace-dialog.tsx";

/** Shows the API keys of the merchant's software. */
export function KeysPage() {
  const { keys: words } = text();
  const keys = useResource("keys", (signal) => get<KeysJson>("/keys", { signal }));
  const [asking, setAsking] = useState<EnvironmentKeysJson | null>(null);
  const [made, setMade] = useState<NewKeysJson | null>(null);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Button icon="refresh" disabled={keys.data === null} onClick={() => setAsking(keys.data)}>
          {words.replace}
        </Button>
      }
    >
      <Panel title={words.present}>
        <Loaded of={keys}>{(data) => <KeysOfEnvironment keys={data} onDecided={keys.reload} />}</Loaded>
      </Panel>
      {keys.data !== null && (keys.data.other.exists || keys.data.other.pending !== null) && (
        <Panel title={words.otherTitle(keys.data.other.environment)} hint={words.otherHint}>
          <KeysOfEnvironment keys={keys.data.other} onDecided={keys.reload} />
          <Button icon="refresh" onClick={() => setAsking(keys.data?.other ?? null)}>
            {words.replaceOther(keys.data.other.environment)}
          </Button>
        </Panel>
      )}
      <CompatibleApi />
      {asking !== null && (
        <ReplaceDialog
          keys={asking}
          onClose={() => setAsking(null)}
          onMade={(pair) => {
            setAsking(null);
            setMade(pair);
            keys.reload();
          }}
        />
      )}
      {made !== null && <NewKeysDialog keys={made} onSaved={() => setMade(null)} />}
    </Page>
  );
}

function KeysOfEnvironment({ keys, onDecided }: { keys: EnvironmentKeysJson; onDecided: () => void }) {
  return (
    <>
      {keys.pending !== null && <PendingKeys pending={keys.pending} onDecided={onDecided} />}
      <PresentKeys keys={keys} />
    </>
  );
}

function PresentKeys({ keys: { publishableKey, secretKeyPrefix, createdAt, environment, exists } }: { keys: EnvironmentKeysJson }) {
  const { keys: words, app } = text();
  return (
    <div>
      {publishableKey === null && <Banner>{exists ? words.notKept : words.noneYet(environment)}</Banner>}
      <div class="list-item">
        <div>
          <div class="list-title">
            <h3>{words.publishable}</h3>
          </div>
          <p class="list-text">{words.publishableText}</p>
        </div>
        {publishableKey !== null && (
          <div class="key-value">
            <code>{publishableKey}</code>
            <CopyButton value={publishableKey} small />
          </div>
        )}
      </div>
      <div class="list-item">
        <div>
          <div class="list-title">
            <h3>{words.secret}</h3>
          </div>
          <p class="list-text">{words.secretText}</p>
        </div>
        {secretKeyPrefix !== null && <code>{secretKeyPrefix}…</code>}
      </div>
      <div class="list-item">
        <div class="list-title">
          <h3>{words.since}</h3>
        </div>
        <div class="key-value">
          <Badge kind={environment === "LIVE" ? "accent" : "warn"} dot={false}>
            {environment}
          </Badge>
          <span>{createdAt === null ? app.none : <Time at={createdAt} />}</span>
        </div>
      </div>
    </div>
  );
}
