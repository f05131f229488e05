import { useState } from "preact/hooks";
import { get, patch } from "../../../portal/api/client.ts";
import { hasCode } from "../../../portal/api/errors.ts";
import { Button } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { Drawer } from "../../../portal/components/dialog.tsx";
import { Loaded } from "../../../portal/components/panel.tsx";
import { formatExactTime } from "../../../portal/i18n/format.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { PartnerJson } from "../../api/types.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { PartnerMerchants } from "./partner-merchants.tsx";
import { PartnerRates } from "./partner-rates.tsx";
import { PartnerState } from "./partner-state.tsx";

/** A partner, without any secret; its rates, and the switch that stops all that it sends. */
export function PartnerDrawer({ partnerId, onClose, onChanged }: { partnerId: string; onClose: () => void; onChanged: () => void }) {
  const { partners: own } = words();
  const path = `/api/partners/${encodeURIComponent(partnerId)}`;
  const partner = useResource(path, (signal) => get<PartnerJson>(path, { signal }));
  const replace = (changed: PartnerJson): void => {
    partner.replace(changed);
    onChanged();
  };
  return (
    <Drawer title={partner.data?.username ?? own.one(partnerId)} onClose={onClose}>
      <Loaded of={partner}>
        {(data) => (
          <>
            <PartnerFacts partner={data} />
            <PartnerRates partner={data} path={path} onChanged={replace} />
            {data.partnerApi !== null && <PartnerMerchants partnerId={data.id} />}
            {may("operator") && (
              <Toggle
                partner={data}
                path={path}
                onChanged={replace}
                onStale={() => {
                  partner.reload();
                  onChanged();
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

function PartnerFacts({ partner }: { partner: PartnerJson }) {
  const { partners: own } = words();
  const { id, enabled, terminalRule, gwTml, gwApiKey, allowedOrigins, adapterMerId, partnerApi, createdAt, updatedAt } = partner;
  const origins = Object.values(allowedOrigins);
  return (
    <>
      <Facts
        of={[
          [own.state, <PartnerState key="state" enabled={enabled} />],
          [own.id, id],
          [own.terminals, own.rules[terminalRule.ruleType]],
          terminalRule.ruleValue === undefined || terminalRule.ruleValue === ""
            ? null
            : [
                own.ruleValue,
                <span key="rule" class="mono break">
                  {terminalRule.ruleValue}
                </span>,
              ],
          [own.gateway, `${gwTml} · ${gwApiKey}`],
          [own.origins, origins.length === 0 ? own.anyOrigin : origins.join(", ")],
          adapterMerId === null ? null : [own.adapter, adapterMerId],
          [own.since, formatExactTime(createdAt)],
          [own.changed, formatExactTime(updatedAt)],
        ]}
      />
      <h3>{own.api}</h3>
      {partnerApi === null ? (
        <p class="muted">{own.noApi}</p>
      ) : (
        <Facts
          of={[
            [own.code, partnerApi.partnerCode],
            [own.name, partnerApi.name],
            [own.apiRole, partnerApi.role],
            [own.maxMerchants, partnerApi.maxMerchants],
            [own.addresses, partnerApi.ipWhitelist.length === 0 ? own.anyAddress : partnerApi.ipWhitelist.join(", ")],
          ]}
        />
      )}
    </>
  );
}

function Toggle({
  partner: { username, enabled },
  path,
  onChanged,
  onStale,
}: {
  partner: PartnerJson;
  path: string;
  onChanged: (partner: PartnerJson) => void;
  /** Somebody else was quicker: what is shown is no longer so. */
  onStale: () => void;
}) {
  const { partners: own } = words();
  const [asking, setAsking] = useState(false);
  return (
    <section>
      <div class="button-row">
        <Button kind={enabled ? "danger-quiet" : "secondary"} onClick={() => setAsking(true)}>
          {enabled ? own.disable : own.enable}
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title={enabled ? own.disableTitle(username) : own.enableTitle(username)}
          confirm={enabled ? own.disable : own.enable}
          danger={enabled}
          act={async () => {
            try {
              onChanged(await patch<PartnerJson>(`${path}/toggle`, { enabled: !enabled }));
              toast(enabled ? own.isDisabled(username) : own.isEnabled(username));
            } catch (error) {
              if (!hasCode(error, "conflict")) throw error;
              onStale();
              toast(enabled ? own.wasDisabled(username) : own.wasEnabled(username));
            }
          }}
          onClose={() => setAsking(false)}
        >
          {enabled ? own.disableText : own.enableText}
        </ConfirmDialog>
      )}
    </section>
  );
}
