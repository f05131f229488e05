import { useState } from "preact/hooks";
import { get, remove } from "../../../portal/api/client.ts";
import { Badge, type BadgeKind } from "../../../portal/components/badge.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { type Column, Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { PortalUserJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { InviteOwnerDialog } from "./invite-owner-dialog.tsx";

interface PortalUsersJson {
  items: PortalUserJson[];
  max: number;
}

const STATE_KINDS: Readonly<Record<PortalUserJson["state"], BadgeKind>> = { INVITED: "warn", ACTIVE: "good", DISABLED: "neutral" };

/** Who may open the portal of a merchant. Owners among the administrators invite its first person, and remove anybody. */
export function PortalUsers({ merchantId, isActive }: { merchantId: string; isActive: boolean }) {
  const { merchants: own } = words();
  const { users: common } = text();
  const path = `/api/merchants/${encodeURIComponent(merchantId)}/portal-users`;
  const users = useResource(path, (signal) => get<PortalUsersJson>(path, { signal }));
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<PortalUserJson | null>(null);
  const { data } = users;
  const isFull = data !== null && data.items.length >= data.max;
  return (
    <Panel
      flush
      title={data === null ? own.people : `${own.people}: ${common.count(data.items.length, data.max)}`}
      hint={own.peopleHint}
      actions={
        may("owner") &&
        isActive && (
          <Button kind="primary" icon="plus" disabled={data === null || isFull} onClick={() => setInviting(true)}>
            {common.invite}
          </Button>
        )
      }
    >
      <Loaded of={users}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="users" title={common.emptyTitle}>
              {own.noPeople}
            </EmptyState>
          ) : (
            <Table
              caption={own.people}
              columns={columnsOf(may("owner") ? setRemoving : null)}
              rows={items}
              keyOf={({ userId }) => userId}
            />
          )
        }
      </Loaded>
      {inviting && (
        <InviteOwnerDialog
          path={path}
          onClose={() => setInviting(false)}
          onInvited={() => {
            setInviting(false);
            users.reload();
          }}
        />
      )}
      {removing !== null && (
        <ConfirmDialog
          title={removing.state === "INVITED" ? common.withdrawTitle(removing.email) : common.removeTitle(removing.email)}
          confirm={removing.state === "INVITED" ? common.withdraw : common.remove}
          danger
          act={async () => {
            await remove(`${path}/${encodeURIComponent(removing.userId)}`);
            toast(common.removed(removing.email));
            users.reload();
          }}
          onClose={() => setRemoving(null)}
        >
          {removing.state === "INVITED" ? common.withdrawText : common.removeText}
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function columnsOf(onRemove: ((user: PortalUserJson) => void) | null): Column<PortalUserJson>[] {
  const { users: common, roles } = text();
  const { merchants: own } = words();
  return [
    { key: "email", header: common.person, cell: ({ email }) => <span class="break">{email}</span> },
    { key: "role", header: common.role, cell: ({ role }) => roles[role] },
    { key: "state", header: common.state, cell: ({ state }) => <Badge kind={STATE_KINDS[state]}>{common.states[state]}</Badge> },
    {
      key: "factor",
      header: common.factor,
      cell: ({ secondFactor }) => (secondFactor ? common.hasFactor : common.noFactor),
    },
    { key: "since", header: common.since, cell: ({ joinedAt, invitedAt }) => <Time at={joinedAt ?? invitedAt} as="date" /> },
    ...(onRemove === null
      ? []
      : [
          {
            key: "remove",
            header: own.actions,
            cell: (user: PortalUserJson) => (
              <Button
                small
                kind="danger-quiet"
                label={own.removeOf(user.state === "INVITED" ? common.withdraw : common.remove, user.email)}
                onClick={() => onRemove(user)}
              >
                {user.state === "INVITED" ? common.withdraw : common.remove}
              </Button>
            ),
          },
        ]),
  ];
}
