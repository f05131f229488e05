import { get } from "../../../portal/api/client.ts";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Panel } from "../../../portal/components/panel.tsx";
import type { Column } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import type { PageProps } from "../../../portal/pages/page-props.ts";
import { navigate } from "../../../portal/state/navigation.ts";
import type { PartnerJson } from "../../api/types.ts";
import { PagedTable } from "../../components/paged-table.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { usePages } from "../../state/pages.ts";
import { PartnerDrawer } from "./partner-drawer.tsx";
import { PartnerState } from "./partner-state.tsx";

const PAGE = 100;

/** Who sends payments through this relay. */
export function PartnersPage({ id }: PageProps) {
  const { partners: own } = words();
  const pages = usePages<PartnerJson>("partners", PAGE, (last, signal) =>
    get("/api/partners", { ...(signal === undefined ? {} : { signal }), query: { limit: PAGE, after: last?.id } }),
  );
  const go = (partnerId?: number) => navigate(pageHref("partners", partnerId === undefined ? undefined : String(partnerId)));
  return (
    <Page title={own.title} lead={own.lead}>
      <Panel flush {...(pages.first.data === null ? {} : { title: own.count(pages.items.length, pages.hasMore) })}>
        <PagedTable
          pages={pages}
          rows={pages.items}
          caption={own.title}
          columns={columnsOf()}
          keyOf={({ id: partnerId }) => String(partnerId)}
          onOpen={({ id: partnerId }) => go(partnerId)}
          empty={
            <EmptyState icon="users" title={own.emptyTitle}>
              {own.emptyText}
            </EmptyState>
          }
        />
      </Panel>
      {id !== null && <PartnerDrawer key={id} partnerId={id} onClose={() => go()} onChanged={pages.first.reload} />}
    </Page>
  );
}

function columnsOf(): Column<PartnerJson>[] {
  const { partners: own } = words();
  return [
    { key: "name", header: own.partner, cell: ({ username }) => username },
    { key: "state", header: own.state, cell: ({ enabled }) => <PartnerState enabled={enabled} /> },
    { key: "terminals", header: own.terminals, cell: ({ terminalRule }) => own.rules[terminalRule.ruleType], priority: 3 },
    { key: "code", header: own.code, cell: ({ partnerApi }) => partnerApi?.partnerCode ?? "–" },
    { key: "since", header: own.since, cell: ({ createdAt }) => <Time at={createdAt} as="date" /> },
  ];
}
