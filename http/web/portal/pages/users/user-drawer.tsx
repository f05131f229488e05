import { useState } from "preact/hooks";
import type { UserJson } from "../../../../surfaces/merchant/team/schemas.ts";
import { patch, post, remove } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { ChoiceField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { RoleRights } from "../../components/role-rights.tsx";
import { Time } from "../../components/time.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatDateTime } from "../../i18n/format.ts";
import { rightsOf } from "../../i18n/rights.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { roleChoices } from "./roles.ts";
import { UserState } from "./user-state.tsx";

/** Shows everything about one user, and what can be done. Unavailable actions are explained. */
export function UserDrawer({
  user,
  users,
  onClose,
  onChanged,
}: {
  user: UserJson;
  users: readonly UserJson[];
  onClose: () => void;
  onChanged: () => void;
}) {
  const { users: words, roles } = text();
  const owners = users.filter(({ role, state }) => role === "OWNER" && state === "ACTIVE");
  const isLastOwner = user.role === "OWNER" && user.state === "ACTIVE" && owners.length === 1;
  const isOutOfReach = user.role === "OWNER" && !may("administer owners");
  const locked = isLastOwner || isOutOfReach;
  return (
    <Drawer title={user.email} onClose={onClose}>
      <dl class="facts">
        <dt>{words.state}</dt>
        <dd>
          <UserState user={user} />
        </dd>
        <dt>{words.role}</dt>
        <dd>{roles[user.role]}</dd>
        <dt>{words.factor}</dt>
        <dd>{user.secondFactor ? words.hasFactor : words.noFactor}</dd>
        <dt>{words.since}</dt>
        <dd>
          <Time at={user.joinedAt ?? user.invitedAt} />
        </dd>
      </dl>
      {user.state === "INVITED" && user.invitationExpiresAt !== null && (
        <Banner>{words.invitedUntil(formatDateTime(user.invitationExpiresAt))}</Banner>
      )}
      {isOutOfReach ? <Banner>{words.ownersOnly}</Banner> : isLastOwner && <Banner kind="warning">{words.lastOwner}</Banner>}
      {locked && <RoleRights {...rightsOf(user.role)} />}
      {!locked && <RoleForm user={user} onChanged={onChanged} />}
      {!locked && <Access user={user} onClose={onClose} onChanged={onChanged} />}
    </Drawer>
  );
}

/**
 * Changes the user as shown here. After a conflict the list is loaded again, so that the next
 * attempt builds on the current state.
 */
async function changeUser(
  { userId, role, state }: UserJson,
  changes: { role: UserJson["role"] } | { state: "ACTIVE" | "DISABLED" },
  reload: () => void,
): Promise<void> {
  try {
    await patch(`/users/${encodeURIComponent(userId)}`, { ...changes, seen: { role, state } });
  } catch (error) {
    if (hasCode(error, "conflict")) reload();
    throw error;
  }
}

function RoleForm({ user, onChanged }: { user: UserJson; onChanged: () => void }) {
  const { users: words, roles, app } = text();
  const [role, setRole] = useState(user.role);
  const change = useAction(async () => {
    await changeUser(user, { role }, onChanged);
    toast(words.roleChanged(user.email, roles[role]));
    onChanged();
  });
  return (
    <Form error={change.error} busy={change.busy} onSubmit={() => role !== user.role && void change.run()}>
      <ChoiceField label={words.changeRole} value={role} options={roleChoices()} onChange={setRole} />
      <FormActions>
        <Button type="submit" kind="primary" disabled={role === user.role} busy={change.busy}>
          {app.save}
        </Button>
      </FormActions>
    </Form>
  );
}

function Access({ user, onClose, onChanged }: { user: UserJson; onClose: () => void; onChanged: () => void }) {
  const { users: words } = text();
  const [asking, setAsking] = useState<"disable" | "remove" | null>(null);
  const path = `/users/${encodeURIComponent(user.userId)}`;
  const setState = async (state: "ACTIVE" | "DISABLED"): Promise<void> => {
    await changeUser(user, { state }, onChanged);
    toast(state === "ACTIVE" ? words.enabled(user.email) : words.disabled(user.email));
    onChanged();
  };
  const enable = useAction(() => setState("ACTIVE"));
  const resend = useAction(async () => {
    await post(`${path}/resend`);
    toast(words.resent(user.email));
    onChanged();
  });
  const failed = enable.error ?? resend.error;
  const isInvited = user.state === "INVITED";
  return (
    <section class="form section" aria-label={words.access}>
      <h3>{words.access}</h3>
      {failed !== null && (
        <Banner kind="danger" alert>
          {failed === resend.error && hasCode(failed, "rate_limited") ? words.justSent : errorText(failed)}
        </Banner>
      )}
      <div class="button-row">
        {isInvited && (
          <Button icon="mail" busy={resend.busy} onClick={() => void resend.run()}>
            {words.resend}
          </Button>
        )}
        {user.state === "ACTIVE" && <Button onClick={() => setAsking("disable")}>{words.disable}</Button>}
        {user.state === "DISABLED" && (
          <Button busy={enable.busy} onClick={() => void enable.run()}>
            {words.enable}
          </Button>
        )}
        <Button kind="danger-quiet" onClick={() => setAsking("remove")}>
          {isInvited ? words.withdraw : words.remove}
        </Button>
      </div>
      {asking === "disable" && (
        <ConfirmDialog title={words.disable} confirm={words.disable} act={() => setState("DISABLED")} onClose={() => setAsking(null)}>
          {words.disableText}
        </ConfirmDialog>
      )}
      {asking === "remove" && (
        <ConfirmDialog
          title={isInvited ? words.withdrawTitle(user.email) : words.removeTitle(user.email)}
          confirm={isInvited ? words.withdraw : words.remove}
          danger
          act={async () => {
            await remove(path);
            toast(words.removed(user.email));
            onClose();
            onChanged();
          }}
          onClose={() => setAsking(null)}
        >
          {isInvited ? words.withdrawText : words.removeText}
        </ConfirmDialog>
      )}
    </section>
  );
}
