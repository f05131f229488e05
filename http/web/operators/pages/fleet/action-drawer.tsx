import { useState } from "preact/hooks";
import { FLEET_OUTCOMES } from "../../../../../engine/fleet/words.ts";
import type { FleetActionJson } from "../../../../surfaces/admin/fleet/fleet-schemas.ts";
import { get, post } from "../../../portal/api/client.ts";
import { hasCode } from "../../../portal/api/errors.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { Drawer } from "../../../portal/components/dialog.tsx";
import { Loaded } from "../../../portal/components/panel.tsx";
import { Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { text } from "../../../portal/i18n/texts.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { toast } from "../../../portal/state/toasts.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { may } from "../../state/session.ts";
import { ActionState, handledOf } from "./action-list.tsx";

const EVERY_MS = 2_000;

/** As many as are shown at first, and with each click more. */
const SHOWN = 100;

/** What became of each terminal of an action, live; operators stop it. */
export function ActionDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { fleet: own } = words();
  const path = `/fleet/actions/${encodeURIComponent(id)}`;
  const [running, setRunning] = useState(true);
  const action = useResource(
    path,
    async (signal) => {
      const found = await get<FleetActionJson>(path, { signal });
      setRunning(found.state === "RUNNING");
      return found;
    },
    running ? { everyMs: EVERY_MS } : {},
  );
  const [asking, setAsking] = useState(false);
  const title = action.data === null ? own.action : own.actions[action.data.type];
  return (
    <Drawer title={title} onClose={onClose} wide>
      {hasCode(action.error, "not_found") ? (
        <Banner kind="warning">{own.unknown}</Banner>
      ) : (
        <Loaded of={action}>
          {(data) => (
            <>
              <Overview action={data} />
              {data.state === "RUNNING" && may("operator") && (
                <div class="button-row">
                  <Button kind="danger-quiet" onClick={() => setAsking(true)}>
                    {own.stop}
                  </Button>
                </div>
              )}
              <Tasks tasks={data.tasks} counts={data.counts} />
            </>
          )}
        </Loaded>
      )}
      {asking && (
        <ConfirmDialog
          title={own.stopTitle}
          confirm={own.stop}
          danger
          act={async () => {
            action.replace(await post<FleetActionJson>(`${path}/stop`, {}));
            toast(own.isStopped);
          }}
          onClose={() => setAsking(false)}
        >
          {own.stopText}
        </ConfirmDialog>
      )}
    </Drawer>
  );
}

function Overview({ action }: { action: FleetActionJson }) {
  const { fleet: own } = words();
  const { state, createdBy, createdAt, endedAt, group, settings } = action;
  return (
    <Facts
      of={[
        [own.state, <ActionState key="state" state={state} />],
        [own.progress, handledOf(action)],
        group === undefined ? null : [own.group, group ?? "–"],
        settings === undefined
          ? null
          : [
              own.settings,
              Object.entries(settings)
                .map(([name, value]) => `${name} = ${value}`)
                .join(", "),
            ],
        [own.by, createdBy],
        [own.at, <Time key="at" at={createdAt} as="exact" />],
        endedAt === null ? null : [own.ended, <Time key="ended" at={endedAt} as="exact" />],
      ]}
    />
  );
}

function Tasks({ tasks, counts }: Pick<FleetActionJson, "tasks" | "counts">) {
  const { fleet: own } = words();
  const { app, terminals: common } = text();
  const [outcome, setOutcome] = useState<(typeof FLEET_OUTCOMES)[number] | null>(null);
  const [shown, setShown] = useState(SHOWN);
  const rows = tasks.filter((task) => outcome === null || task.outcome === outcome);
  return (
    <section>
      <h3>{own.terminals}</h3>
      <ul class="state-tiles" aria-label={own.outcome}>
        {FLEET_OUTCOMES.filter((one) => counts[one] > 0).map((one) => (
          <li key={one}>
            <button type="button" class="kind" aria-pressed={one === outcome} onClick={() => setOutcome(one === outcome ? null : one)}>
              <span class="state-count">{formatNumber(counts[one])}</span>
              <span class="kind-foot">{own.outcomes[one]}</span>
            </button>
          </li>
        ))}
      </ul>
      <Table
        caption={own.terminals}
        rows={rows.slice(0, shown)}
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
          { key: "outcome", header: own.outcome, cell: (task) => own.outcomes[task.outcome] },
          { key: "reason", header: own.reason, cell: ({ refusal }) => (refusal === null ? "–" : own.refusals[refusal]) },
        ]}
      />
      {rows.length > shown && (
        <div class="table-more">
          <Button onClick={() => setShown(shown + SHOWN)}>{app.loadMore}</Button>
        </div>
      )}
    </section>
  );
}
