import { useState } from "preact/hooks";
import { get } from "../../../portal/api/client.ts";
import { Button } from "../../../portal/components/button.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Panel } from "../../../portal/components/panel.tsx";
import type { PageProps } from "../../../portal/pages/page-props.ts";
import { navigate } from "../../../portal/state/navigation.ts";
import { useResource } from "../../../portal/state/resource.ts";
import type { DeploymentJson, VersionJson } from "../../api/types.ts";
import { PagedTable } from "../../components/paged-table.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { usePages } from "../../state/pages.ts";
import { may } from "../../state/session.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { Progress } from "./progress.tsx";
import { RolloutDrawer, shareOf, targetOf } from "./rollout-drawer.tsx";
import { DeploymentState } from "./steps.tsx";
import { UploadDialog } from "./upload-dialog.tsx";
import { VersionsPanel } from "./versions-panel.tsx";

const EVERY_MS = 5_000;
const PAGE = 50;

/** Uploads versions of the terminals' app, rolls them out, and watches how far each has come. */
export function RolloutsPage({ id }: PageProps) {
  const { rollouts: own } = words();
  const versions = useResource("app versions", (signal) => get<VersionJson[]>("/app-versions", { signal }), { everyMs: EVERY_MS });
  const pages = usePages<DeploymentJson>(
    "deployments",
    PAGE,
    (last, signal) => get("/app-deployments", { ...(signal === undefined ? {} : { signal }), query: { limit: PAGE, after: last?.id } }),
    { everyMs: EVERY_MS },
  );
  const [dialog, setDialog] = useState<"upload" | "create" | null>(null);
  const known = versions.data ?? [];
  const nameOf = (versionId: number) => known.find((version) => version.id === versionId)?.versionName ?? `#${versionId}`;
  const go = (deploymentId?: number) => navigate(pageHref("rollouts", deploymentId === undefined ? undefined : String(deploymentId)));
  return (
    <Page
      title={own.title}
      lead={own.lead}
      actions={
        may("operator") ? (
          <>
            <Button icon="send" onClick={() => setDialog("upload")}>
              {own.newVersion}
            </Button>
            <Button kind="primary" icon="plus" disabled={known.every(({ active }) => !active)} onClick={() => setDialog("create")}>
              {own.newRollout}
            </Button>
          </>
        ) : undefined
      }
    >
      <Panel flush title={own.deployments} hint={own.deploymentsHint}>
        <PagedTable
          pages={pages}
          rows={pages.items}
          caption={own.deployments}
          keyOf={(one) => String(one.id)}
          onOpen={(one) => go(one.id)}
          columns={[
            { key: "version", header: own.version, cell: ({ versionId }) => nameOf(versionId) },
            { key: "target", header: own.target, cell: targetOf },
            { key: "state", header: own.state, cell: (deployment) => <DeploymentState deployment={deployment} /> },
            { key: "share", header: own.share, align: "right", cell: shareOf },
            { key: "progress", header: own.progress, cell: ({ counts }) => <Progress counts={counts} /> },
          ]}
          empty={
            <EmptyState icon="download" title={own.noDeployments}>
              {may("operator") ? own.noDeploymentsText : own.noDeploymentsLook}
            </EmptyState>
          }
        />
      </Panel>
      <VersionsPanel versions={versions} />
      {dialog === "upload" && <UploadDialog version={null} onClose={() => setDialog(null)} onChanged={versions.reload} />}
      {dialog === "create" && (
        <CreateDialog
          versions={known}
          onClose={() => setDialog(null)}
          onCreated={(deployment) => {
            setDialog(null);
            pages.first.reload();
            go(deployment.id);
          }}
        />
      )}
      {id !== null && <RolloutDrawer key={id} id={id} nameOf={nameOf} onClose={() => go()} onChanged={pages.first.reload} />}
    </Page>
  );
}
