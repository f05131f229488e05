import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { CallList } from "./call-list.tsx";
import type { LogTab } from "./words.ts";
import { WorkflowList } from "./workflow-list.tsx";

/**
 * Shows the steps of the merchant's objects and the relay's calls to other systems. The address
 * holds the tab and the filters.
 */
export function LogsPage() {
  const { logs: words } = text();
  const { values, set } = useFilters(["tab", "outcome"]);
  const tab: LogTab = values["tab"] === "calls" ? "calls" : "workflow";
  return (
    <Page title={words.title} lead={words.lead}>
      <Tabs
        label={words.title}
        tabs={[
          { key: "workflow", label: words.workflow },
          { key: "calls", label: words.calls },
        ]}
        selected={tab}
        // No step has the outcome `failed`.
        onSelect={(key) => set({ tab: key === "workflow" ? null : key, ...(values["outcome"] === "failed" ? { outcome: null } : {}) })}
      >
        {tab === "workflow" ? <WorkflowList /> : <CallList />}
      </Tabs>
    </Page>
  );
}
