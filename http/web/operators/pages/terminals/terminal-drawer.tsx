import { useState } from "preact/hooks";
import type { TerminalRecordJson } from "../../../../surfaces/admin/terminal-record.ts";
import { get, post } from "../../../portal/api/client.ts";
import { Badge } from "../../../portal/components/badge.tsx";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { Drawer } from "../../../portal/components/dialog.tsx";
import { Loaded } from "../../../portal/components/panel.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { toast } from "../../../portal/state/toasts.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { Connection } from "./connection.tsx";
import { TerminalLife } from "./terminal-life.tsx";

const EVERY_MS = 5_000;

/** A terminal's life: its connection, its device, what waits for it; and its login, which may be withdrawn and given back. */
export function TerminalDrawer({ terminalId, onClose, onChanged }: { terminalId: string; onClose: () => void; onChanged: () => void }) {
  const path = `/terminals/${encodeURIComponent(terminalId)}`;
  const terminal = useResource(path, (signal) => get<TerminalRecordJson>(path, { signal }), { everyMs: EVERY_MS });
  return (
    <Drawer title={terminalId} onClose={onClose}>
      <Loaded of={terminal}>
        {(data) => (
          <>
            <TerminalFacts terminal={data} />
            <TerminalLife path={path} />
            {may("operator") && (
              <Access
                terminal={data}
                path={path}
                onChanged={() => {
                  terminal.reload();
                  onChanged();
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

function TerminalFacts({ terminal }: { terminal: TerminalRecordJson }) {
  const { terminals: own } = words();
  const { terminals: common } = text();
  const {
    connectionStatus,
    connectionType,
    connectedSince,
    lastActivity,
    lastSeen,
    server,
    sessions,
    queued,
    awaitingResult,
    device,
    denied,
  } = terminal;
  const at = (time: string | undefined) => (time === undefined ? "–" : <Time at={time} as="exact" />);
  return (
    <>
      {denied && <Banner kind="warning">{own.deniedText}</Banner>}
      {connectionStatus === "NEVER_CONNECTED" && <Banner>{own.neverText}</Banner>}
      <h3>{own.connection}</h3>
      <Facts
        of={[
          [
            common.status,
            <span key="status" class="badges">
              <Connection terminal={terminal} />
              {denied && <Badge kind="bad">{own.denied}</Badge>}
            </span>,
          ],
          connectionType === undefined ? null : [common.connection, common.connections[connectionType]],
          connectionStatus === "ONLINE" ? [own.lastActivity, at(lastActivity)] : [common.lastSeen, at(lastSeen)],
          connectedSince === undefined ? null : [common.connectedSince, at(connectedSince)],
          server === undefined ? null : [own.node, server],
          [own.sessions, sessions],
        ]}
      />
      <h3>{own.commands}</h3>
      <Facts
        of={[
          [own.queued, queued],
          [own.awaiting, awaitingResult],
        ]}
      />
      <h3>{own.device}</h3>
      <Facts
        of={[
          [common.model, device.deviceModel ?? "–"],
          [own.family, device.family ?? "–"],
          [common.version, device.appVersion ?? "–"],
          [own.address, device.ipAddress ?? "–"],
          [
            own.userAgent,
            <span key="agent" class="break">
              {device.userAgent ?? "–"}
            </span>,
          ],
          [
            own.fingerprint,
            <span key="print" class="mono break">
              {device.fingerprint ?? "–"}
            </span>,
          ],
        ]}
      />
    </>
  );
}

function Access({
  terminal: { terminalId, denied },
  path,
  onChanged,
}: {
  terminal: TerminalRecordJson;
  path: string;
  onChanged: () => void;
}) {
  const { terminals: own } = words();
  const [asking, setAsking] = useState(false);
  return (
    <section>
      <h3>{own.login}</h3>
      <div class="button-row">
        <Button kind={denied ? "secondary" : "danger-quiet"} onClick={() => setAsking(true)}>
          {denied ? own.allow : own.deny}
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title={denied ? own.allowTitle(terminalId) : own.denyTitle(terminalId)}
          confirm={denied ? own.allow : own.deny}
          danger={!denied}
          act={async () => {
            await post(`${path}/${denied ? "allow" : "deny"}`, {});
            toast(denied ? own.allowed(terminalId) : own.isDenied(terminalId));
            onChanged();
          }}
          onClose={() => setAsking(false)}
        >
          {denied ? own.allowText : own.denyText}
        </ConfirmDialog>
      )}
    </section>
  );
}
