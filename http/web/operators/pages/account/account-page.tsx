import type { AdminFactorsJson } from "../../../../surfaces/admin/session-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { Page } from "../../../portal/components/page.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { RoleRights } from "../../../portal/components/role-rights.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import { Passkeys } from "../../../portal/pages/settings/passkeys.tsx";
import { RecoveryCodes, Totp } from "../../../portal/pages/settings/security.tsx";
import { useResource } from "../../../portal/state/resource.ts";
import { rightsOf } from "../../i18n/rights.ts";
import { words } from "../../i18n/texts.ts";
import { role, session } from "../../state/session.ts";
import { ChangePassword } from "./change-password.tsx";
import { Preferences } from "./preferences.tsx";

/** The administrator's own account: how the pages look and how it signs in. */
export function AccountPage() {
  const { settings } = text();
  const { account: own, roles } = words();
  const factors = useResource("factors", (signal) => get<AdminFactorsJson>("/factors", { signal }));
  return (
    <Page title={own.title} lead={own.lead(session.value?.username ?? "", role.value === null ? "" : roles[role.value])}>
      {role.value !== null && (
        <Panel title={roles[role.value]}>
          <RoleRights {...rightsOf(role.value)} />
        </Panel>
      )}
      <Panel title={settings.preferences} hint={own.preferencesHint}>
        <Preferences />
      </Panel>
      <Panel title={settings.security}>
        <Loaded of={factors}>
          {(data) => (
            <div>
              <ChangePassword />
              <Totp me={data} onChanged={factors.reload} />
              <Passkeys me={data} onChanged={factors.reload} />
              <RecoveryCodes me={data} onChanged={factors.reload} />
            </div>
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
