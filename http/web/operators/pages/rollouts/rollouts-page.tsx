import { useState } from "preact/hooks";
import { get, post } from "../../../portal/api/client.ts";
import { Badge, type BadgeKind } from "../../../portal/components/badge.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { DeploymentJson, VersionJson } from "../../api/types.ts";
import { PagedTable } from "../../components/paged-table.tsx";
import { words } from "../../i18n/texts.ts";
import { usePages } from "../../state/pages.ts";
import { may } from "../../state/session.ts";
import { Progress } from "./progress.tsx";

const EVERY_MS = 5_000;
const PAGE = 50;

const STATE_KINDS: Readonly<Record<DeploymentJson["state"], BadgeKind>> = {
  draft: "neutral",
  active: "good",
  paused: "warn",
  superseded: "neutral",
  disabled: "bad",
};

/** Versions of the terminals' app, and how far each has come. */
export function RolloutsPage() {
  const { rollouts: own } = words();
  const versions = useResource("app versions", (signal) => get<VersionJson[]>("/app-versions", { signal }), { everyMs: EVERY_MS });
  return (
    <Page title={own.title} lead={own.lead}>
      <Deployments versions={versions.data ?? []} />
      <Panel flush title={own.versions}>
        <Loaded of={versions}>
          {(items) =>
            items.length === 0 ? (
              <EmptyState icon="download" title={own.noVersions}>
                {own.noVersionsText}
              </EmptyState>
            ) : (
              <Table
                caption={own.versions}
                rows={items}
                keyOf={({ id }) => String(id)}
                columns={[
                  { key: "name", header: own.version, cell: ({ versionName }) => versionName },
                  { key: "code", header: own.code, align: "right", cell: ({ versionCode }) => versionCode },
                  {
                    key: "state",
                    header: own.state,
                    cell: ({ active, apkUrl }) => (
                      <Badge kind={!active ? "bad" : apkUrl === null ? "neutral" : "good"}>
                        {!active ? own.withdrawn : apkUrl === null ? own.noPackage : own.offered}
                      </Badge>
                    ),
                  },
                  { key: "mandatory", header: own.mandatory, cell: ({ mandatory }) => (mandatory ? own.yes : own.no), priority: 3 },
                  {
                    key: "size",
                    header: own.size,
                    align: "right",
                    cell: ({ fileSize }) => (fileSize === null ? "–" : own.megabytes(formatNumber(Math.round(fileSize / 104_857.6) / 10))),
                    priority: 3,
                  },
                  { key: "at", header: own.created, cell: ({ createdAt }) => <Time at={createdAt} as="date" /> },
                ]}
              />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

type Step = "pause" | "resume" | "roll-back";

function Deployments({ versions }: { versions: readonly VersionJson[] }) {
  const { rollouts: own } = words();
  const pages = usePages<DeploymentJson>(
    "deployments",
    PAGE,
    (last, signal) => get("/app-deployments", { ...(signal === undefined ? {} : { signal }), query: { limit: PAGE, after: last?.id } }),
    { everyMs: EVERY_MS },
  );
  const [asking, setAsking] = useState<{ deployment: DeploymentJson; step: Step } | null>(null);
  const nameOf = ({ versionId }: DeploymentJson) => versions.find(({ id }) => id === versionId)?.versionName ?? `#${versionId}`;
  const targetOf = ({ target, terminalId, merchantId }: DeploymentJson) =>
    target === "terminal" ? own.toTerminal(terminalId ?? "") : target === "merchant" ? own.toMerchant(merchantId ?? "") : own.toAll;
  return (
    <Panel flush title={own.deployments} hint={own.deploymentsHint}>
      <PagedTable
        pages={pages}
        rows={pages.items}
        caption={own.deployments}
        keyOf={({ id }) => String(id)}
        columns={[
          { key: "version", header: own.version, cell: (one) => nameOf(one) },
          { key: "target", header: own.target, cell: (one) => targetOf(one) },
          {
            key: "state",
            header: own.state,
            cell: ({ state, pausedBecause }) => (
              <Badge kind={STATE_KINDS[state]}>{pausedBecause === "failures" ? own.pausedByFailures : own.states[state]}</Badge>
            ),
          },
          { key: "share", header: own.share, align: "right", cell: ({ rolloutPercent }) => own.percent(formatNumber(rolloutPercent)) },
          { key: "progress", header: own.progress, cell: ({ counts }) => <Progress counts={counts} /> },
          ...(may("operator")
            ? [
                {
                  key: "steps",
                  header: own.actions,
                  cell: (deployment: DeploymentJson) => (
                    <span class="button-row">
                      {stepsOf(deployment).map((step) => (
                        <Button
                          key={step}
                          small
                          onClick={() => setAsking({ deployment, step })}
                          label={own.stepOf(own.steps[step], nameOf(deployment))}
                        >
                          {own.steps[step]}
                        </Button>
                      ))}
                    </span>
                  ),
                },
              ]
            : []),
        ]}
        empty={
          <EmptyState icon="download" title={own.noDeployments}>
            {own.noDeploymentsText}
          </EmptyState>
        }
      />
      {asking !== null && (
        <ConfirmDialog
          title={own.askTitle(own.steps[asking.step], nameOf(asking.deployment))}
          confirm={own.steps[asking.step]}
          danger={asking.step === "roll-back"}
          act={async () => {
            await post(`/app-deployments/${asking.deployment.id}/${asking.step}`, {});
            toast(own.stepDone);
            pages.first.reload();
          }}
          onClose={() => setAsking(null)}
        >
          {own.stepTexts[asking.step]}
        </ConfirmDialog>
      )}
    </Panel>
  );
}

/** What can be done with a deployment in its state; the relay decides. */
function stepsOf({ state }: DeploymentJson): Step[] {
  if (state === "active") return ["pause", "roll-back"];
  return state === "paused" ? ["resume", "roll-back"] : [];
}
