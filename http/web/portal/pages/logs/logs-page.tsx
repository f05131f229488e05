import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { CallList } from "./call-list.tsx";
import type { LogTab } from "./words.ts";
import { WorkflowList } from "./workflow-list.tsx";

/** What became of the merchant's links, intents and webhook endpoints, and what the relay said to others about them. Tab and filters stand in the address. */
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
        // No step has this outcome.
        onSelect={(key) => set({ tab: key === "workflow" ? null : key, ...(values["outcome"] === "failed" ? { outcome: null } : {}) })}
      >
        {tab === "workflow" ? <WorkflowList /> : <CallList />}
      </Tabs>
    </Page>
  );
}
