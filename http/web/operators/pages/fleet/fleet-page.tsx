import { useLocation } from "preact-iso/router";
import { Page } from "../../../portal/components/page.tsx";
import { Tabs } from "../../../portal/components/tabs.tsx";
import type { PageProps } from "../../../portal/pages/page-props.ts";
import { navigate } from "../../../portal/state/navigation.ts";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { ActionDrawer } from "./action-drawer.tsx";
import { ActionList } from "./action-list.tsx";
import { FleetTerminals } from "./fleet-terminals.tsx";

/** Finds terminals, acts on many of them at once, and shows what became of it. */
export function FleetPage({ id }: PageProps) {
  const { fleet: own } = words();
  const { query } = useLocation();
  const tab = id !== null || query["tab"] === "actions" ? "actions" : "terminals";
  const actions = `${pageHref("fleet")}?tab=actions`;
  return (
    <Page title={own.title} lead={own.lead}>
      <Tabs
        label={own.title}
        tabs={[
          { key: "terminals", label: own.tabTerminals },
          { key: "actions", label: own.tabActions },
        ]}
        selected={tab}
        onSelect={(chosen) => navigate(chosen === "actions" ? actions : pageHref("fleet"))}
      >
        <div class="tab-page">
          {tab === "terminals" ? (
            <FleetTerminals onStarted={(actionId) => navigate(pageHref("fleet", actionId))} />
          ) : (
            <ActionList onOpen={(actionId) => navigate(pageHref("fleet", actionId))} />
          )}
        </div>
      </Tabs>
      {id !== null && <ActionDrawer key={id} id={id} onClose={() => navigate(actions)} />}
    </Page>
  );
}
