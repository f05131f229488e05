import type { MeJson } from "../../../../surfaces/merchant/sign-in/schemas.ts";
import { get } from "../../api/client.ts";
import { Page } from "../../components/page.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { session } from "../../state/session.ts";
import { Branding } from "./branding.tsx";
import { OpeningHours } from "./opening-hours.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Preferences } from "./preferences.tsx";
import { ChangePassword, RecoveryCodes, Totp } from "./security.tsx";
import { Sessions } from "./sessions.tsx";

/** Shows the person's own account (appearance and sign-in) and the shop's opening hours. */
export function SettingsPage() {
  const { settings } = text();
  const me = useResource("me", (signal) => get<MeJson>("/me", { signal }));
  return (
    <Page title={settings.title} lead={settings.lead(session.value?.email ?? "")}>
      <Panel title={settings.preferences}>
        <Loaded of={me}>{(data) => <Preferences me={data} onChanged={me.replace} />}</Loaded>
      </Panel>
      <Panel title={settings.security}>
        <Loaded of={me}>
          {(data) => (
            <div>
              <ChangePassword />
              <Totp me={data} onChanged={me.reload} />
              <Passkeys me={data} onChanged={me.reload} />
              <RecoveryCodes me={data} onChanged={me.reload} />
            </div>
          )}
        </Loaded>
      </Panel>
      <Branding />
      <OpeningHours />
      <Sessions />
    </Page>
  );
}
