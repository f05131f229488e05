import { useState } from "preact/hooks";
import { patch } from "../../../portal/api/client.ts";
import { Badge } from "../../../portal/components/badge.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import type { Resource } from "../../../portal/state/resource.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { VersionJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { UploadDialog } from "./upload-dialog.tsx";

/** The versions of the app. Operators upload missing packages, and withdraw versions. */
export function VersionsPanel({ versions }: { versions: Resource<VersionJson[]> }) {
  const { rollouts: own } = words();
  const [uploading, setUploading] = useState<VersionJson | null>(null);
  const [switching, setSwitching] = useState<VersionJson | null>(null);
  return (
    <Panel flush title={own.versions}>
      <Loaded of={versions}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon="download" title={own.noVersions}>
              {may("operator") ? own.noVersionsText : own.noVersionsLook}
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
                ...(may("operator")
                  ? [
                      {
                        key: "steps",
                        header: own.actions,
                        cell: (version: VersionJson) => (
                          <span class="button-row">
                            {version.apkUrl === null && (
                              <Button
                                small
                                label={own.stepOf(own.uploadPackage, version.versionName)}
                                onClick={() => setUploading(version)}
                              >
                                {own.uploadPackage}
                              </Button>
                            )}
                            <Button
                              small
                              label={own.stepOf(version.active ? own.withdraw : own.offerAgain, version.versionName)}
                              onClick={() => setSwitching(version)}
                            >
                              {version.active ? own.withdraw : own.offerAgain}
                            </Button>
                          </span>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          )
        }
      </Loaded>
      {uploading !== null && <UploadDialog version={uploading} onClose={() => setUploading(null)} onChanged={versions.reload} />}
      {switching !== null && (
        <ConfirmDialog
          title={own.askTitle(switching.active ? own.withdraw : own.offerAgain, switching.versionName)}
          confirm={switching.active ? own.withdraw : own.offerAgain}
          danger={switching.active}
          act={async () => {
            await patch(`/app-versions/${switching.id}/active`, { active: !switching.active });
            toast(own.stepDone);
            versions.reload();
          }}
          onClose={() => setSwitching(null)}
        >
          {switching.active ? own.withdrawText : own.offerAgainText}
        </ConfirmDialog>
      )}
    </Panel>
  );
}
