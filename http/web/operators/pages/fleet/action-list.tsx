import type { FleetActionItemJson } from "../../../../surfaces/admin/fleet/fleet-schemas.ts";
import { Badge, type BadgeKind } from "../../../portal/components/badge.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { LiveList } from "../../../portal/components/live-list.tsx";
import { Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { words } from "../../i18n/texts.ts";

const STATE_KINDS: Readonly<Record<FleetActionItemJson["state"], BadgeKind>> = { RUNNING: "warn", DONE: "good", STOPPED: "neutral" };

export function ActionState({ state }: Pick<FleetActionItemJson, "state">) {
  return <Badge kind={STATE_KINDS[state]}>{words().fleet.states[state]}</Badge>;
}

export function handledOf({ terminals, counts }: FleetActionItemJson): string {
  return words().fleet.handled(formatNumber(terminals - counts.PENDING - counts.SKIPPED), formatNumber(terminals));
}

/** The actions of the last days, the newest first. */
export function ActionList({ onOpen }: { onOpen: (id: string) => void }) {
  const { fleet: own } = words();
  return (
    <LiveList<FleetActionItemJson>
      path="/fleet/actions"
      query={{}}
      end={own.actionsEnd}
      empty={
        <EmptyState icon="device" title={own.actionsEmptyTitle}>
          {own.actionsEmptyText}
        </EmptyState>
      }
    >
      {(items) => (
        <Table
          caption={own.tabActions}
          rows={items}
          keyOf={({ id }) => id}
          onOpen={({ id }) => onOpen(id)}
          columns={[
            { key: "action", header: own.action, cell: ({ type }) => own.actions[type] },
            { key: "state", header: own.state, cell: ({ state }) => <ActionState state={state} /> },
            {
              key: "progress",
              header: own.progress,
              cell: (action) => (
                <>
                  {handledOf(action)}
                  {action.counts.REFUSED > 0 && (
                    <span class="progress-bad"> · {own.refusedCount(formatNumber(action.counts.REFUSED))}</span>
                  )}
                </>
              ),
            },
            { key: "by", header: own.by, cell: ({ createdBy }) => createdBy },
            { key: "at", header: own.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
    </LiveList>
  );
}
