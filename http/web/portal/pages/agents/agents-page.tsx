import { useState } from "preact/hooks";
import type {
  AgentCredentialJson,
  AgentCredentialWithTokenJson,
  RevokedAgentCredentialsJson,
} from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { post } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Clip } from "../../components/clip.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { UsageMeter } from "../../components/usage-bar.tsx";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { c, desk } from "../../list/columns.tsx";
import { type CreateProps, listPage } from "../../list/list-page.tsx";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { AgentDrawer } from "./agent-drawer.tsx";
import { AgentState } from "./agent-state.ts";
import { Connect } from "./connect.tsx";
import { CreateWizard } from "./create-wizard.tsx";
import { TokenDialog } from "./token-dialog.tsx";
import { AGENT_LIST, isUsable } from "./words.ts";

/**
 * Lists the credentials of AI agents that act for the merchant, newest first, ended ones included.
 */
export const AgentsPage = listPage<AgentCredentialJson, typeof AGENT_LIST>({
  list: AGENT_LIST,
  texts: ({ agents }) => agents,
  icon: "agent",
  fields: ({ agents: words }) => ({ state: { label: words.state, words: words.states } }),
  columns: ({ agents: words, app }) => [
    {
      key: "name",
      header: words.name,
      cell: ({ name, last4 }) => (
        <span class="two-lines agent-name">
          <Clip look="clip-short">{name}</Clip>
          <span class="second-line mono">···· {last4}</span>
        </span>
      ),
    },
    c.state("state", words.state, AgentState),
    { key: "total", header: words.totalUse, cell: (credential) => <TotalUse credential={credential} /> },
    {
      key: "expires",
      header: words.expires,
      // A revoked credential does not expire any more.
      cell: ({ expiresAt, state }) => (state === "REVOKED" ? "–" : <Time at={expiresAt} as="date" />),
    },
    desk({ key: "today", header: words.todayUse, cell: (credential) => <TodayUse credential={credential} /> }),
    desk({
      key: "used",
      header: words.lastUsed,
      cell: ({ details }) => (details?.lastUsedAt == null ? app.never : <Time at={details.lastUsedAt} as="date" />),
    }),
  ],
  idOf: ({ id }) => id,
  drawer: AgentDrawer,
  create: { act: "administer agents", dialog: CreateDialogs },
  actions: RevokeAll,
  below: HowToConnect,
});

/** Shows the wizard, and then the token, which is shown only once. */
function CreateDialogs({ onClose, onCreated }: CreateProps) {
  const [made, setMade] = useState<AgentCredentialWithTokenJson | null>(null);
  if (made !== null) return <TokenDialog token={made.token} onDone={onClose} />;
  return (
    <CreateWizard
      onClose={onClose}
      onCreated={(created) => {
        setMade(created);
        onCreated();
      }}
    />
  );
}

function RevokeAll({ onChanged }: { onChanged: () => void }) {
  const { agents: words } = text();
  const [asking, setAsking] = useState(false);
  if (!may("administer agents")) return null;
  return (
    <>
      <Button kind="danger-quiet" onClick={() => setAsking(true)}>
        {words.revokeAll}
      </Button>
      {asking && (
        <ConfirmDialog
          title={words.revokeAllTitle}
          confirm={words.revokeAll}
          danger
          onClose={() => setAsking(false)}
          act={async () => {
            const { revoked } = await post<RevokedAgentCredentialsJson>("/agent-credentials/revoke-all");
            toast(words.revokeAllDone(revoked));
            onChanged();
          }}
        >
          {words.revokeAllText}
        </ConfirmDialog>
      )}
    </>
  );
}

function HowToConnect() {
  const { agents: words } = text();
  return (
    <Panel title={words.connect} hint={words.connectHint}>
      <div class="stack">
        <Connect />
      </div>
    </Panel>
  );
}

function TotalUse({ credential: { limits, details } }: { credential: AgentCredentialJson }) {
  const { agents: words } = text();
  if (limits === null || details === undefined) return <span class="muted">{words.noLinks}</span>;
  return <Used label={words.totalUse} used={details.usage.totalMinor} max={limits.totalMinor} currency={limits.currency} />;
}

function TodayUse({ credential }: { credential: AgentCredentialJson }) {
  const { limits, details } = credential;
  if (limits === null || details === undefined || !isUsable(credential)) return <>–</>;
  return <Used label={text().agents.todayUse} used={details.usage.todayMinor} max={limits.perDayMinor} currency={limits.currency} />;
}

function Used({ label, used, max, currency }: { label: string; used: number; max: number; currency: string }) {
  return (
    <span class="usage-cell">
      <span>{text().agents.of(formatMoney(used, currency), formatMoney(max, currency))}</span>
      <UsageMeter label={label} used={used} max={max} />
    </span>
  );
}
