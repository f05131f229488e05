import { useState } from "preact/hooks";
import type { SessionItemJson } from "../../../../surfaces/merchant/sign-in/schemas.ts";
import { get, remove } from "../../api/client.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatDateTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { toast } from "../../state/toasts.ts";
import { deviceName } from "./device-name.ts";

/** Lists the browsers in which the person is signed in. */
export function Sessions() {
  const { settings } = text();
  const sessions = useResource("sessions", (signal) => get<{ items: SessionItemJson[] }>("/sessions", { signal }));
  const [ending, setEnding] = useState<string | null>(null);
  const end = async (path: string, done: string): Promise<void> => {
    if (ending !== null) return;
    setEnding(path);
    try {
      await remove(path);
      toast(done);
    } catch (error) {
      toast(errorText(error), "failed");
    }
    setEnding(null);
    sessions.reload();
  };
  const hasOthers = sessions.data?.items.some(({ current }) => !current) === true;
  return (
    <Panel
      title={settings.sessions}
      hint={settings.sessionsText}
      actions={
        hasOthers && (
          <Button small busy={ending === "/sessions"} onClick={() => void end("/sessions", settings.othersEnded)}>
            {settings.endOthers}
          </Button>
        )
      }
    >
      <Loaded of={sessions}>
        {({ items }) => (
          <ul aria-label={settings.sessions}>
            {items.map((item) => {
              const path = `/sessions/${encodeURIComponent(item.sessionId)}`;
              const name = deviceName(item.userAgent);
              return (
                <li key={item.sessionId} class="list-item">
                  <div class="list-main">
                    <span class="list-icon">
                      <Icon name={/Android|iPhone/.test(item.userAgent) ? "phone" : "device"} />
                    </span>
                    <div>
                      <div class="list-title">
                        {name}
                        {item.current && <Badge kind="good">{settings.current}</Badge>}
                      </div>
                      <div class="list-text">
                        {item.ipAddress} · {settings.signedInAt(formatDateTime(item.createdAt))},{" "}
                        {settings.usedAt(formatDateTime(item.lastUsedAt))}
                      </div>
                    </div>
                  </div>
                  {!item.current && (
                    <Button
                      small
                      busy={ending === path}
                      label={settings.endSessionOf(name)}
                      onClick={() => void end(path, settings.sessionEnded)}
                    >
                      {settings.endSession}
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
