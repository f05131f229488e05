import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { formatDateTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";

export function DisputeFacts({ dispute }: { dispute: DisputeJson }) {
  const { disputes: words } = text();
  const { network, networkCaseId, stage, reasonCode, createdAt, respondBy, terminalId, alertId, id, holdsRefunds, uuid } = dispute;
  return (
    <section class="form">
      <h3>{words.facts}</h3>
      <dl class="facts">
        <dt>{words.network}</dt>
        <dd>{network}</dd>
        <dt>{words.caseId}</dt>
        <dd class="mono break">{networkCaseId}</dd>
        <dt>{words.stage}</dt>
        <dd>{words.stages[stage]}</dd>
        <dt>{words.reasonCode}</dt>
        <dd class="mono">{reasonCode}</dd>
        <dt>{words.received}</dt>
        <dd>{formatDateTime(createdAt)}</dd>
        <dt>{words.due}</dt>
        <dd>{formatDateTime(respondBy)}</dd>
        {terminalId !== null && (
          <>
            <dt>{words.terminal}</dt>
            <dd class="break">{terminalId}</dd>
          </>
        )}
      </dl>
      <div class="uuid">
        <span class="field-label">{words.id}</span>
        <span class="mono">{id}</span>
        <CopyButton value={id} small />
      </div>
      {holdsRefunds && uuid !== null && <p class="muted">{words.say.held}</p>}
      {alertId !== null && (
        <div class="button-row">
          <ButtonLink icon="alert" small href={objectHref("alerts", alertId)}>
            {words.itsAlert}
          </ButtonLink>
        </div>
      )}
    </section>
  );
}
