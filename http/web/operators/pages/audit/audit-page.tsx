import { useState } from "preact/hooks";
import type { AuditEntryJson } from "../../../../surfaces/admin/audit.ts";
import { get } from "../../../portal/api/client.ts";
import { Badge, type BadgeKind } from "../../../portal/components/badge.tsx";
import { Banner } from "../../../portal/components/banner.tsx";
import { Clip } from "../../../portal/components/clip.tsx";
import { Drawer } from "../../../portal/components/dialog.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { SelectField, TextField } from "../../../portal/components/field.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Panel } from "../../../portal/components/panel.tsx";
import type { Column } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatExactTime } from "../../../portal/i18n/format.ts";
import { text } from "../../../portal/i18n/texts.ts";
import { useFilters } from "../../../portal/state/filters.ts";
import { Facts } from "../../components/facts.tsx";
import { PagedTable } from "../../components/paged-table.tsx";
import { words } from "../../i18n/texts.ts";
import { usePages } from "../../state/pages.ts";

/** As many as the relay gives at once: what is filtered here is filtered among what was loaded. */
const PAGE = 500;

const MERCHANT = /^[A-Za-z0-9._-]{1,64}$/;

const KINDS: Readonly<Record<AuditEntryJson["outcome"], BadgeKind>> = { done: "good", refused: "bad", begun: "warn" };

/** Who changed what: administrators and partners, or one merchant's people. */
export function AuditPage() {
  const { audit: own } = words();
  const { audit: common, app } = text();
  const { values, set } = useFilters(["merchant", "q", "outcome"]);
  const [opened, setOpened] = useState<AuditEntryJson | null>(null);
  const written = values["merchant"] ?? "";
  const merchantId = MERCHANT.test(written) ? written : null;
  const pages = usePages<AuditEntryJson>(`audit ${merchantId}`, PAGE, (last, signal) =>
    get("/audit", { ...(signal === undefined ? {} : { signal }), query: { limit: PAGE, before: last?.id, merchantId } }),
  );
  const outcome = values["outcome"] ?? "";
  const wanted = (values["q"] ?? "").trim().toLowerCase();
  const rows = pages.items.filter(
    (entry) =>
      (outcome === "" || entry.outcome === outcome) &&
      [entry.username, entry.actor, entry.action, entry.subject, entry.ipAddress].some((one) => one.toLowerCase().includes(wanted)),
  );
  return (
    <Page title={own.title} lead={own.lead}>
      <Panel>
        <div class="filters filters-few">
          <TextField
            label={own.find}
            hint={own.findHint}
            type="search"
            autoComplete="off"
            maxLength={128}
            value={values["q"] ?? ""}
            onInput={(q) => set({ q })}
          />
          <SelectField
            label={common.outcome}
            value={outcome}
            options={[
              { value: "", label: app.all },
              { value: "done", label: common.outcomes.done },
              { value: "refused", label: common.outcomes.refused },
              { value: "begun", label: common.outcomes.begun },
            ]}
            onChange={(chosen) => set({ outcome: chosen })}
          />
          <TextField
            label={own.merchant}
            hint={own.merchantHint}
            autoComplete="off"
            maxLength={64}
            value={written}
            onInput={(merchant) => set({ merchant: merchant.trim() })}
            error={written === "" || merchantId !== null ? null : own.merchantForm}
            mono
          />
        </div>
      </Panel>
      <Panel flush {...(pages.first.data === null ? {} : { title: own.count(rows.length, pages.items.length, pages.hasMore) })}>
        <PagedTable
          pages={pages}
          rows={rows}
          caption={own.title}
          columns={columnsOf()}
          keyOf={({ id }) => id}
          onOpen={setOpened}
          empty={
            <EmptyState icon="audit" title={own.emptyTitle}>
              {own.emptyText}
            </EmptyState>
          }
        />
      </Panel>
      {opened !== null && <EntryDrawer entry={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}

function columnsOf(): Column<AuditEntryJson>[] {
  const { audit: common } = text();
  return [
    { key: "at", header: common.time, cell: ({ at }) => <Time at={at} /> },
    { key: "who", header: common.actor, cell: ({ username, actor }) => username || actor },
    { key: "action", header: common.action, cell: ({ action }) => actionText(action) },
    { key: "subject", header: common.subject, cell: ({ subject }) => <Clip>{subject || "–"}</Clip>, priority: 3 },
    { key: "outcome", header: common.outcome, cell: ({ outcome }) => <Badge kind={KINDS[outcome]}>{common.outcomes[outcome]}</Badge> },
  ];
}

/** What a merchant's people do has words; what administrators do is named as in the interface, which they know. */
function actionText(action: string): string {
  const actions: Readonly<Record<string, string>> = text().audit.actions;
  return actions[action] ?? action;
}

function EntryDrawer({ entry, onClose }: { entry: AuditEntryJson; onClose: () => void }) {
  const { audit: common } = text();
  const { audit: own, roles } = words();
  const { at, username, actor, role, action, subject, outcome, code, members, ipAddress, requestId } = entry;
  return (
    <Drawer title={actionText(action)} onClose={onClose}>
      <Facts
        of={[
          [common.time, formatExactTime(at)],
          [common.actor, username || "–"],
          [own.as, actor],
          role === undefined ? null : [own.role, roles[role]],
          [
            common.action,
            <span key="action" class="mono">
              {action}
            </span>,
          ],
          [
            common.subject,
            <span key="subject" class="break">
              {subject || "–"}
            </span>,
          ],
          [
            common.outcome,
            <Badge key="outcome" kind={KINDS[outcome]}>
              {common.outcomes[outcome]}
            </Badge>,
          ],
          code === undefined
            ? null
            : [
                common.code,
                <span key="code" class="mono">
                  {code}
                </span>,
              ],
          [common.members, members.length === 0 ? "–" : members.join(", ")],
          [common.address, ipAddress],
          [
            common.request,
            <span key="request" class="mono break">
              {requestId}
            </span>,
          ],
        ]}
      />
      {outcome === "begun" && <Banner kind="warning">{common.begunHelp}</Banner>}
    </Drawer>
  );
}
