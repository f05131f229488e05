import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { AgentCredentialWithTokenJson, RevokedAgentCredentialsJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { post } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import type { PageProps } from "../page-props.ts";
import { AgentDrawer } from "./agent-drawer.tsx";
import { AgentList } from "./agent-list.tsx";
import { Connect } from "./connect.tsx";
import { CreateWizard } from "./create-wizard.tsx";
import { TokenDialog } from "./token-dialog.tsx";
import { agentsHref, FILTERS } from "./words.ts";

/** Credentials by which AI agents act for the merchant. The filter and the opened credential stand in the address. */
export function AgentsPage({ id }: PageProps) {
  const { agents: words } = text();
  const { route } = useLocation();
  const filters = useFilters(FILTERS);
  const [asking, setAsking] = useState<"create" | "revoke all" | null>(null);
  const [made, setMade] = useState<AgentCredentialWithTokenJson | null>(null);
  /** Counts what was changed here. */
  const [round, setRound] = useState(0);
  const changed = () => setRound((before) => before + 1);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        may("administer agents") && (
          <>
            <Button kind="danger-quiet" onClick={() => setAsking("revoke all")}>
              {words.revokeAll}
            </Button>
            <Button kind="primary" icon="plus" onClick={() => setAsking("create")}>
              {words.create}
            </Button>
          </>
        )
      }
    >
      <AgentList filters={filters} round={round} onCreate={() => setAsking("create")} />
      <Panel title={words.connect} hint={words.connectHint}>
        <div class="stack">
          <Connect />
        </div>
      </Panel>
      {id !== null && <AgentDrawer key={id} id={id} onClose={() => route(agentsHref(null, filters.query))} onChanged={changed} />}
      {asking === "create" && (
        <CreateWizard
          onClose={() => setAsking(null)}
          onCreated={(created) => {
            setAsking(null);
            setMade(created);
            changed();
          }}
        />
      )}
      {asking === "revoke all" && <RevokeAllDialog onClose={() => setAsking(null)} onRevoked={changed} />}
      {made !== null && <TokenDialog token={made.token} onDone={() => setMade(null)} />}
    </Page>
  );
}

function RevokeAllDialog({ onClose, onRevoked }: { onClose: () => void; onRevoked: () => void }) {
  const { agents: words } = text();
  return (
    <ConfirmDialog
      title={words.revokeAllTitle}
      confirm={words.revokeAll}
      danger
      onClose={onClose}
      act={async () => {
        const { revoked } = await post<RevokedAgentCredentialsJson>("/agent-credentials/revoke-all");
        toast(words.revokeAllDone(revoked));
        onRevoked();
      }}
    >
      {words.revokeAllText}
    </ConfirmDialog>
  );
}
