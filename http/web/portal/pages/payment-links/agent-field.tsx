import type { AgentCredentialJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { get } from "../../api/client.ts";
import { SelectField } from "../../components/field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { useResource } from "../../state/resource.ts";

/**
 * Shows the agent that created the links. The page of agents sets this filter; it can be cleared
 * here.
 */
export function AgentField({ filters: { values, set } }: { filters: Filters }) {
  const { agentId } = values;
  return agentId === undefined ? null : <ChosenAgent agentId={agentId} onClear={() => set({ agentId: null })} />;
}

function ChosenAgent({ agentId, onClear }: { agentId: string; onClear: () => void }) {
  const { paymentLinks: words, app } = text();
  const path = `/agent-credentials/${encodeURIComponent(agentId)}`;
  const agent = useResource(path, (signal) => get<AgentCredentialJson>(path, { signal }));
  return (
    <SelectField
      label={words.agent}
      value={agentId}
      options={[
        { value: "", label: app.all },
        { value: agentId, label: agent.data?.name ?? agentId },
      ]}
      onChange={(chosen) => chosen === "" && onClear()}
    />
  );
}
