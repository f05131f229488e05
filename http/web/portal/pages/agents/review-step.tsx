import type { AgentCredentialWithTokenJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { post } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { addDays, formatDay, today } from "../../i18n/days.ts";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import type { useSendOnce } from "../../state/send-once.ts";
import type { StepProps } from "./wizard-steps.tsx";
import { addressesOf, bodyOf, daysOf, limitsOf } from "./written.ts";

/** Shows all choices in words before the credential is created. */
export function ReviewStep({
  title,
  written,
  unsaved,
  onClose,
  onBack,
  sendOnce,
  onCreated,
}: StepProps & { sendOnce: ReturnType<typeof useSendOnce>; onCreated: (created: AgentCredentialWithTokenJson) => void }) {
  const { agents: words, app } = text();
  const create = useAction(async () => {
    const body = bodyOf(written);
    onCreated(await sendOnce(body, (idempotencyKey) => post<AgentCredentialWithTokenJson>("/agent-credentials", body, { idempotencyKey })));
  });
  const addresses = addressesOf(written);
  return (
    <FormDialog
      title={title}
      action={create}
      onSubmit={create.run}
      submit={words.wizard.createNow}
      cancel={app.back}
      onCancel={() => onBack(written)}
      unsaved={unsaved}
      onClose={onClose}
    >
      <p class="in-words">{inWords(written)}</p>
      <dl class="facts">
        <dt>{words.name}</dt>
        <dd class="break">{written.name.trim()}</dd>
        <dt>{words.permits}</dt>
        <dd>
          <ul class="plain-list">
            {written.scopes.map((scope) => (
              <li key={scope}>{words.scopes[scope]}</li>
            ))}
          </ul>
        </dd>
        <dt>{words.addresses}</dt>
        <dd class="break">{addresses.length === 0 ? words.anywhere : addresses.join(", ")}</dd>
      </dl>
      <p class="muted">{words.never}</p>
    </FormDialog>
  );
}

function inWords(written: StepProps["written"]): string {
  const { wizard: words } = text().agents;
  const limits = limitsOf(written);
  const day = formatDay(addDays(today(), daysOf(written)));
  if (limits === null) return words.looksOnly(day);
  const money = (minor: number) => formatMoney(minor, limits.currency);
  const { totalMinor, perLinkMaxMinor, perDayMinor, linksPerHour } = limits;
  return words.inWords(money(totalMinor), money(perLinkMaxMinor), money(perDayMinor), linksPerHour, day);
}
