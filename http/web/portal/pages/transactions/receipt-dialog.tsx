import type { ReceiptJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { get } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Loaded } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { formatExactTime, formatWrittenMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { merchant } from "../../state/session.ts";

/** Shows a copy of the receipt, on screen and for printing. */
export function ReceiptDialog({ uuid, onClose }: { uuid: string; onClose: () => void }) {
  const { transactions: words } = text();
  const receipt = useResource(`receipt ${uuid}`, (signal) =>
    get<ReceiptJson>(`/transactions/${encodeURIComponent(uuid)}/receipt`, { signal }),
  );
  return (
    <Dialog title={words.receipt} onClose={onClose}>
      <Loaded of={receipt} skeleton={<Skeleton lines={6} />}>
        {(data) => (
          <>
            <Paper receipt={data} />
            <div class="button-row no-print">
              <Button kind="primary" icon="print" onClick={() => window.print()}>
                {words.print}
              </Button>
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function Paper({ receipt }: { receipt: ReceiptJson }) {
  const { merchantName, terminalId, createdAt, lines } = receipt;
  const { transactions: words, app } = text();
  const labels: Readonly<Record<string, string>> = words.receiptLabels;
  return (
    <div class="paper print-alone">
      <p class="paper-head">{merchantName}</p>
      {merchant.value?.environment === "TEST" && <p class="paper-head">{app.test}</p>}
      <dl class="paper-lines">
        <dt>{words.columns.time}</dt>
        <dd>{formatExactTime(createdAt)}</dd>
        <dt>{words.columns.terminal}</dt>
        <dd>{terminalId}</dd>
        {lines.map(({ label, value }) => [
          <dt key={`${label} name`}>{labels[label] ?? label}</dt>,
          <dd key={label}>{valueText(label, value)}</dd>,
        ])}
      </dl>
      <Slip copy={words.merchantCopy} lines={receipt.merchantText} />
      <Slip copy={words.customerCopy} lines={receipt.text} />
      <p class="paper-foot">{words.receiptFoot}</p>
    </div>
  );
}

/** Shows one copy of the slip that the terminal sent. */
function Slip({ copy, lines }: { copy: string; lines: string | null }) {
  if (lines === null) return null;
  return (
    <section aria-label={copy}>
      <p class="paper-foot">{copy}</p>
      <pre class="paper-own">{lines}</pre>
    </section>
  );
}

function valueText(label: string, value: string): string {
  if (label === "amount") return formatWrittenMoney(value);
  const { transactions: words, methods } = text();
  const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    method: methods,
    status: words.statuses,
    entry: words.entries,
  };
  return names[label]?.[value] ?? value;
}
