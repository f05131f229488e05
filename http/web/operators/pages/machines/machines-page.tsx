import { useState } from "preact/hooks";
import { get, remove } from "../../../portal/api/client.ts";
import { Badge } from "../../../portal/components/badge.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { type Column, Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { useResource } from "../../../portal/state/resource.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { MachineTokenJson, MachineTokenWithSecretJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { CreateTokenDialog } from "./create-token-dialog.tsx";
import { TokenDialog } from "./token-dialog.tsx";

/** Logins of programs: what each may do and when it ends. Owners make and delete them. */
export function MachinesPage() {
  const { machines: own } = words();
  const tokens = useResource("machine tokens", (signal) => get<MachineTokenJson[]>("/machine-tokens", { signal }));
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<MachineTokenWithSecretJson | null>(null);
  const [removing, setRemoving] = useState<MachineTokenJson | null>(null);
  return (
    <Page
      title={own.title}
      lead={own.lead}
      actions={
        may("owner") && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            {own.create}
          </Button>
        )
      }
    >
      <Panel flush>
        <Loaded of={tokens}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="key" title={own.emptyTitle}>
                {own.emptyText}
              </EmptyState>
            ) : (
              <Table caption={own.title} columns={columnsOf(may("owner") ? setRemoving : null)} rows={rows} keyOf={({ name }) => name} />
            )
          }
        </Loaded>
      </Panel>
      {creating && (
        <CreateTokenDialog
          onClose={() => setCreating(false)}
          onMade={(token) => {
            setCreating(false);
            setMade(token);
            tokens.reload();
          }}
        />
      )}
      {made !== null && <TokenDialog made={made} onSaved={() => setMade(null)} />}
      {removing !== null && (
        <ConfirmDialog
          title={own.removeTitle(removing.name)}
          confirm={own.remove}
          danger
          act={async () => {
            await remove(`/machine-tokens/${encodeURIComponent(removing.name)}`);
            toast(own.removed(removing.name));
            tokens.reload();
          }}
          onClose={() => setRemoving(null)}
        >
          {own.removeText}
        </ConfirmDialog>
      )}
    </Page>
  );
}

function columnsOf(onRemove: ((token: MachineTokenJson) => void) | null): Column<MachineTokenJson>[] {
  const { machines: own } = words();
  return [
    { key: "name", header: own.name, cell: ({ name }) => <span class="break">{name}</span> },
    { key: "rights", header: own.rights, cell: ({ rights }) => rights.map((right) => own.rightNames[right]).join(", ") },
    {
      key: "until",
      header: own.until,
      cell: ({ expired, expiresAt }) => (expired ? <Badge kind="warn">{own.expired}</Badge> : <Time at={expiresAt} as="date" />),
    },
    { key: "by", header: own.by, cell: ({ createdBy }) => <span class="break">{createdBy}</span> },
    ...(onRemove === null
      ? []
      : [
          {
            key: "remove",
            header: own.actions,
            cell: (token: MachineTokenJson) => (
              <Button small kind="danger-quiet" label={own.removeOf(token.name)} onClick={() => onRemove(token)}>
                {own.remove}
              </Button>
            ),
          },
        ]),
  ];
}
