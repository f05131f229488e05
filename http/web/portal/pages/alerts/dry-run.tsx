import type { AlertRulesDryRunJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Badge } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { Clip } from "../../components/clip.tsx";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";

/** These are enough to see whether the rules do what they were written for. */
const SHOWN_MAX = 20;

/** Shows what the rules would have done with the alerts of the last weeks. */
export function DryRun({ result, currency, isOld }: { result: AlertRulesDryRunJson; currency: string; isOld: boolean }) {
  const { alerts: words, disputes } = text();
  const { looked, refunded, refundedMinor, capped, items, complete } = result;
  return (
    <>
      <h3>{words.rules.tried}</h3>
      {isOld && <Banner kind="warning">{words.rules.triedOld}</Banner>}
      {looked === 0 ? (
        <p class="muted">{words.rules.triedNone}</p>
      ) : (
        <p>
          {words.rules.triedText(refunded, looked)}
          {refunded > 0 && ` ${words.rules.triedAmount(formatMoney(refundedMinor, currency))}`}
          {capped > 0 && ` ${words.rules.triedHeld(capped)}`}
        </p>
      )}
      {!complete && <p class="muted">{words.rules.triedIncomplete}</p>}
      {items.length > 0 && (
        <div class="table-frame">
          <Table
            caption={words.rules.tried}
            rows={items.slice(0, SHOWN_MAX)}
            keyOf={({ alert }) => alert.id}
            phone="lines"
            columns={[
              { key: "category", header: words.category, cell: ({ alert }) => disputes.categories[alert.category] },
              {
                key: "amount",
                header: words.amount,
                align: "right",
                cell: ({ alert }) => <Amount minor={alert.amountMinor} currency={alert.currency} strong />,
              },
              {
                key: "outcome",
                header: words.state,
                cell: (item) =>
                  item.capped ? <Badge kind="warn">{words.rules.beyond}</Badge> : <Badge kind="good">{words.rules.wouldRefund}</Badge>,
              },
              { key: "received", header: words.received, cell: ({ alert }) => <Time at={alert.createdAt} as="date" /> },
              { key: "rule", header: words.rules.byRule, cell: ({ rule }) => <Clip look="clip-narrow">{rule}</Clip>, priority: 3 },
            ]}
          />
        </div>
      )}
      {items.length > SHOWN_MAX && <p class="muted">{words.rules.triedMore(items.length - SHOWN_MAX)}</p>}
    </>
  );
}
