import { useState } from "preact/hooks";
import type { DunningPolicyJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import { get } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { DunningDrawer } from "./dunning-drawer.tsx";
import { DunningPreview } from "./dunning-preview.tsx";
import type { Collection } from "./words.ts";

/** Shows day by day how failed payments are retried. */
export function DunningPolicy({ collections }: { collections: readonly Collection[] }) {
  const { dunning: words } = text();
  const policy = useResource("dunning", (signal) => get<DunningPolicyJson>("/dunning", { signal }));
  const [changing, setChanging] = useState(false);
  const mayChange = may("configure");
  return (
    <Panel
      title={words.title}
      actions={
        mayChange && policy.data !== null ? (
          <Button icon="settings" onClick={() => setChanging(true)}>
            {words.change}
          </Button>
        ) : undefined
      }
    >
      <Loaded of={policy}>
        {(data) => (
          <div class="stack">
            <p class="policy-lead">{words.lead}</p>
            {!mayChange && <Banner>{words.lookOnly}</Banner>}
            <DunningPreview policy={data} collections={collections}>
              <dl class="facts">
                <dt>{words.finalAction}</dt>
                <dd>{words.finalActions[data.finalAction]}</dd>
                <dt>{words.mails}</dt>
                <dd>{data.mails ? words.mailsAre.on : words.mailsAre.off}</dd>
              </dl>
            </DunningPreview>
            {changing && (
              <DunningDrawer policy={data} collections={collections} onClose={() => setChanging(false)} onStored={policy.replace} />
            )}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
