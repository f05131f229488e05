import type { MailJson } from "../../../../surfaces/admin/mail-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { SelectField } from "../../../portal/components/field.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Panel } from "../../../portal/components/panel.tsx";
import type { Column } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import type { PageProps } from "../../../portal/pages/page-props.ts";
import { useFilters } from "../../../portal/state/filters.ts";
import { navigate } from "../../../portal/state/navigation.ts";
import { PagedTable } from "../../components/paged-table.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { usePages } from "../../state/pages.ts";
import { MailDrawer } from "./mail-drawer.tsx";
import { MailState } from "./mail-state.tsx";

const PAGE = 100;

/** What was written to people of merchants and to their customers, and what waits. */
export function MailsPage({ id }: PageProps) {
  const { mails: own } = words();
  const { app } = text();
  const { values, set, query } = useFilters(["state"]);
  const state = values["state"] ?? "";
  const pages = usePages<MailJson>("mails", PAGE, (last, signal) =>
    get("/mails", { ...(signal === undefined ? {} : { signal }), query: { limit: PAGE, after: last?.id } }),
  );
  const rows = pages.items.filter((mail) => state === "" || mail.state === state);
  const go = (mailId?: string) => navigate(`${pageHref("mails", mailId)}${query === "" ? "" : `?${query}`}`);
  const opened = pages.items.find((mail) => mail.id === id) ?? null;
  return (
    <Page title={own.title} lead={own.lead}>
      <Panel>
        <div class="filters filters-few">
          <SelectField
            label={own.state}
            value={state}
            options={[
              { value: "", label: app.all },
              ...(["QUEUED", "SENT", "FAILED", "EXPIRED"] as const).map((value) => ({ value, label: own.states[value] })),
            ]}
            onChange={(chosen) => set({ state: chosen })}
          />
        </div>
      </Panel>
      {id !== null && opened === null && pages.first.data !== null && <Banner kind="warning">{own.unknown}</Banner>}
      <Panel flush {...(pages.first.data === null ? {} : { title: own.count(rows.length, pages.items.length, pages.hasMore) })}>
        <PagedTable
          pages={pages}
          rows={rows}
          caption={own.title}
          columns={columnsOf()}
          keyOf={(mail) => mail.id}
          onOpen={(mail) => go(mail.id)}
          empty={
            <EmptyState icon="mail" title={own.emptyTitle}>
              {own.emptyText}
            </EmptyState>
          }
        />
      </Panel>
      {opened !== null && <MailDrawer key={opened.id} mail={opened} onClose={() => go()} />}
    </Page>
  );
}

function columnsOf(): Column<MailJson>[] {
  const { mails: own } = words();
  return [
    { key: "to", header: own.to, cell: ({ to }) => <span class="break">{to}</span> },
    { key: "kind", header: own.kind, cell: ({ kind }) => own.kinds[kind] },
    { key: "state", header: own.state, cell: ({ state }) => <MailState state={state} /> },
    { key: "at", header: own.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}
