import { useState } from "preact/hooks";
import type { AlertRuleJson, AlertRulesJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { get } from "../../api/client.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatDateTime, formatMoney, formatNumber } from "../../i18n/format.ts";
import { methodText } from "../../i18n/method-text.ts";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { RulesDrawer } from "./rules-drawer.tsx";

/** Shows which alerts are refunded automatically, and offers to change it. */
export function RulesPanel() {
  const { rules: words } = text().alerts;
  const rules = useResource("alert rules", (signal) => get<AlertRulesJson>("/alert-rules", { signal }));
  const [editing, setEditing] = useState(false);
  const { data } = rules;
  return (
    <Panel
      title={words.title}
      actions={
        may("configure") ? (
          <Button kind="primary" icon="settings" disabled={data === null} onClick={() => setEditing(true)}>
            {words.change}
          </Button>
        ) : undefined
      }
    >
      <Loaded of={rules} skeleton={<Skeleton lines={5} />}>
        {(stored) => <Stored rules={stored} />}
      </Loaded>
      {editing && data !== null && <RulesDrawer rules={data} onClose={() => setEditing(false)} onStored={rules.replace} />}
    </Panel>
  );
}

function Stored({ rules }: { rules: AlertRulesJson }) {
  const { rules: words } = text().alerts;
  const { enabled, currency, dailyCountMax, dailyAmountMaxMinor, updatedAt, updatedBy } = rules;
  return (
    <div class="form">
      <p class="lead">{words.lead}</p>
      <div class="badges">
        <Badge kind={enabled ? "good" : "neutral"}>{enabled ? words.on : words.off}</Badge>
        <span>{enabled ? words.onText : words.offText}</span>
      </div>
      {rules.rules.length === 0 ? (
        <EmptyState icon="refund" title={words.none}>
          {may("configure") ? words.noneText : words.lookOnly}
        </EmptyState>
      ) : (
        <>
          <ul class="rules">
            {rules.rules.map((rule) => (
              <li key={rule.id} class="rule">
                <strong class="break">{rule.id}</strong>
                <span>{ruleText(rule, currency)}</span>
              </li>
            ))}
          </ul>
          <dl class="facts facts-narrow">
            <dt>{words.dailyCount}</dt>
            <dd>{formatNumber(dailyCountMax)}</dd>
            <dt>{words.dailyAmount}</dt>
            <dd>{formatMoney(dailyAmountMaxMinor, currency)}</dd>
          </dl>
        </>
      )}
      <p class="muted break">
        {updatedAt === null ? words.never : words.changedAt(formatDateTime(updatedAt))}
        {updatedBy !== null && ` · ${updatedBy}`}
      </p>
    </div>
  );
}

/**
 * Describes a rule in one sentence: the largest amount, the sources, the reasons and the methods.
 */
function ruleText({ amountMaxMinor, sources, categories, methods }: AlertRuleJson, currency: string): string {
  const { alerts: words, disputes } = text();
  return [
    words.rules.upTo(formatMoney(amountMaxMinor, currency)),
    sources?.map((source) => words.sources[source]).join(", ") ?? words.rules.anySource,
    categories?.map((category) => disputes.categories[category]).join(", ") ?? words.rules.anyReason,
    methods?.map(methodText).join(", ") ?? words.rules.anyMethod,
  ].join(" · ");
}
