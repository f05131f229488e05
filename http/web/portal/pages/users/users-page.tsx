import { useState } from "preact/hooks";
import type { UserJson, UsersJson } from "../../../../surfaces/merchant/team/schemas.ts";
import { get } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { UserDrawer } from "./user-drawer.tsx";
import { UserState } from "./user-state.tsx";

/** Lists the people who may open this merchant's portal. */
export function UsersPage() {
  const { users: words } = text();
  const users = useResource("users", (signal) => get<UsersJson>("/users", { signal }));
  const [inviting, setInviting] = useState(false);
  const [openedId, setOpenedId] = useState<string | null>(null);
  const { data } = users;
  const isFull = data !== null && data.items.length >= data.max;
  const mayManage = may("administer users");
  const opened = data?.items.find(({ userId }) => userId === openedId) ?? null;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        mayManage && (
          <Button kind="primary" icon="plus" disabled={data === null || isFull} onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        )
      }
    >
      {mayManage && isFull && <Banner>{words.full(data.max)}</Banner>}
      <Panel flush {...(data === null ? {} : { title: words.count(data.items.length, data.max) })}>
        <Loaded of={users}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon="users" title={words.emptyTitle}>
                {words.emptyText}
              </EmptyState>
            ) : (
              <UserTable items={items} onOpen={mayManage ? ({ userId }) => setOpenedId(userId) : null} />
            )
          }
        </Loaded>
      </Panel>
      {inviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={() => {
            setInviting(false);
            users.reload();
          }}
        />
      )}
      {opened !== null && data !== null && (
        <UserDrawer user={opened} users={data.items} onClose={() => setOpenedId(null)} onChanged={users.reload} />
      )}
    </Page>
  );
}

function UserTable({ items, onOpen }: { items: readonly UserJson[]; onOpen: ((user: UserJson) => void) | null }) {
  const { users: words, roles } = text();
  const columns: Column<UserJson>[] = [
    {
      key: "person",
      header: words.person,
      cell: ({ email, you }) => (
        <span class="person">
          <span class="avatar" aria-hidden="true">
            {email.slice(0, 2)}
          </span>
          <span class="person-text">
            {email}
            {you && <small>{words.you}</small>}
          </span>
        </span>
      ),
    },
    { key: "role", header: words.role, cell: ({ role }) => roles[role] },
    {
      key: "state",
      header: words.state,
      cell: (user) => <UserState user={user} />,
    },
    { key: "factor", header: words.factor, cell: ({ secondFactor }) => (secondFactor ? words.hasFactor : words.noFactor) },
    { key: "since", header: words.since, cell: ({ joinedAt, invitedAt }) => <Time at={joinedAt ?? invitedAt} as="date" /> },
  ];
  return (
    <Table caption={words.title} columns={columns} rows={items} keyOf={({ userId }) => userId} {...(onOpen === null ? {} : { onOpen })} />
  );
}
