import type { FleetTerminalJson } from "../../../../surfaces/admin/fleet/fleet-schemas.ts";
import type { MerchantJson } from "../../../../surfaces/admin/merchant-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { hasCode } from "../../../portal/api/errors.ts";
import { ButtonLink } from "../../../portal/components/button.tsx";
import { Drawer } from "../../../portal/components/dialog.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { LiveList } from "../../../portal/components/live-list.tsx";
import { Loaded } from "../../../portal/components/panel.tsx";
import { Table } from "../../../portal/components/table.tsx";
import { formatExactTime } from "../../../portal/i18n/format.ts";
import { text } from "../../../portal/i18n/texts.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { Connection } from "../terminals/connection.tsx";
import { MerchantState } from "./merchant-state.tsx";
import { PortalUsers } from "./portal-users.tsx";

/** A merchant: whose it is, its services, its terminals, and who may open its portal. */
export function MerchantDrawer({ merchantId, onClose }: { merchantId: string; onClose: () => void }) {
  const { merchants: own } = words();
  const path = `/api/merchants/${encodeURIComponent(merchantId)}`;
  const merchant = useResource(path, (signal) => get<MerchantJson>(path, { signal }));
  const isUnknown = hasCode(merchant.error, "not_found");
  return (
    <Drawer title={merchant.data?.merchantName ?? (isUnknown ? own.unknownTitle : own.merchant)} onClose={onClose} wide>
      {isUnknown ? (
        <EmptyState icon="search" title={own.unknownTitle}>
          {own.unknownText}
        </EmptyState>
      ) : (
        <Loaded of={merchant}>
          {(data) => (
            <>
              <Facts
                of={[
                  [own.state, <MerchantState key="state" merchant={data} />],
                  [
                    own.id,
                    <span key="id" class="mono">
                      {data.merchantId}
                    </span>,
                  ],
                  [
                    own.partner,
                    <a key="partner" href={pageHref("partners", String(data.partnerId))}>
                      {data.partnerName ?? data.partnerId}
                    </a>,
                  ],
                  [own.services, data.services.length === 0 ? own.noServices : data.services.join(", ")],
                  [own.since, formatExactTime(data.createdAt)],
                ]}
              />
              <Terminals merchantId={merchantId} />
              <PortalUsers merchantId={merchantId} isActive={data.active} />
            </>
          )}
        </Loaded>
      )}
    </Drawer>
  );
}

function Terminals({ merchantId }: { merchantId: string }) {
  const { merchants: own, fleet } = words();
  const { terminals: common } = text();
  return (
    <section>
      <h3>{own.terminals}</h3>
      <LiveList<FleetTerminalJson>
        path="/fleet/terminals"
        query={{ merchantId }}
        live={false}
        empty={<p class="panel-note muted">{own.noTerminals}</p>}
        end={fleet.end}
      >
        {(items) => (
          <Table
            caption={own.terminals}
            rows={items}
            keyOf={({ terminalId }) => terminalId}
            columns={[
              {
                key: "id",
                header: common.terminal,
                cell: ({ terminalId }) => (
                  <a class="mono" href={pageHref("terminals", terminalId)}>
                    {terminalId}
                  </a>
                ),
              },
              { key: "status", header: common.status, cell: (terminal) => <Connection terminal={terminal} /> },
              { key: "version", header: common.version, cell: ({ device }) => device.appVersion ?? "–" },
            ]}
          />
        )}
      </LiveList>
      <ButtonLink href={`${pageHref("fleet")}?merchantId=${encodeURIComponent(merchantId)}`}>{own.allTerminals}</ButtonLink>
    </section>
  );
}
