import type { AgentCredentialJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { get } from "../../api/client.ts";
import { SelectField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { FilterFoot } from "../../components/filter-bar.tsx";
import { PeriodDays, PeriodField } from "../../components/period-field.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { useResource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { STATES } from "./words.ts";

export function FilterFields({ filters }: { filters: Filters }) {
  const { paymentLinks: words, transactions, app } = text();
  const { values, set } = filters;
  return (
    <>
      <div class="filters">
        <TypedField
          label={transactions.search}
          hint={words.searchHint}
          value={values["q"] ?? ""}
          onSettled={(q) => set({ q })}
          problem={() => null}
          type="search"
          maxLength={255}
        />
        <SelectField
          label={words.state}
          value={values["state"] ?? ""}
          options={[{ value: "", label: app.all }, ...STATES.map((value) => ({ value: value as string, label: words.states[value] }))]}
          onChange={(state) => set({ state })}
        />
        <PeriodField label={words.created} filters={filters} />
        {may("see personal data") && (
          <TypedField
            label={words.customerEmail}
            value={values["customerEmail"] ?? ""}
            onSettled={(customerEmail) => set({ customerEmail })}
            problem={(email) => (email === "" ? null : emailProblem(email))}
            inputMode="email"
            maxLength={254}
          />
        )}
        {values["agentId"] !== undefined && <AgentField agentId={values["agentId"]} onClear={() => set({ agentId: null })} />}
        <PeriodDays filters={filters} />
      </div>
      <FilterFoot filters={filters} />
    </>
  );
}

/** Of which agent they are: chosen on the page of agents, and taken away here. */
function AgentField({ agentId, onClear }: { agentId: string; onClear: () => void }) {
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
