import type { ReconciledDayJson } from "../../../../surfaces/merchant/reconciliation/schemas.ts";
import { addressOf } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { ButtonLink } from "../../components/button.tsx";
import { ObjectDrawer } from "../../components/object-drawer.tsx";
import { Tile, Tiles } from "../../components/tile.tsx";
import { formatDay } from "../../i18n/days.ts";
import { formatExactTime, formatMoney, formatNumber } from "../../i18n/format.ts";
import { isDay } from "../../i18n/is-day.ts";
import { locale, text } from "../../i18n/texts.ts";
import { listHref, objectHref } from "../../list/declaration.ts";
import type { DrawerProps } from "../../list/list-page.tsx";
import { may } from "../../state/session.ts";
import { Corrections } from "./corrections.tsx";
import { PaymentTables, StateTable } from "./day-tables.tsx";
import { closesOn } from "./words.ts";

/** Shows a day with all its figures. */
export function DayDrawer({ id: day, onClose }: Pick<DrawerProps, "id" | "onClose">) {
  const { reconciliation: words } = text();
  const isOne = isDay(day);
  return (
    <ObjectDrawer<ReconciledDayJson>
      title={isOne ? formatDay(day) : words.day}
      path={pathOf(day)}
      unknown={{ title: words.unknownTitle, text: words.unknownText }}
      absent={isOne ? { not_closed: { title: words.openTitle, text: words.openText(formatDay(closesOn(day))) } } : {}}
      live={false}
      wide
      lines={10}
      onClose={onClose}
      onChanged={() => {}}
    >
      {(data) => <Detail data={data} />}
    </ObjectDrawer>
  );
}

function pathOf(day: string): string {
  return `/reconciliation/${encodeURIComponent(day)}`;
}

function Detail({ data }: { data: ReconciledDayJson }) {
  const { reconciliation: words } = text();
  const { day, closedAt, totals, links, refunds, unknown, conflicting, corrections } = data;
  return (
    <>
      <Banner>{words.closedAt(formatExactTime(closedAt))}</Banner>
      {totals.map((total) => (
        <Totals key={total.currency} day={day} total={total} />
      ))}
      <NamedPayments title={words.unknown} help={words.unknownHelp} payments={unknown} />
      <NamedPayments title={words.conflicting} help={words.conflictingHelp} payments={conflicting} />
      <PaymentTables data={data} />
      <StateTable of="links" title={words.links} lines={links} />
      <StateTable of="refunds" title={words.refunds} lines={refunds} />
      <Corrections corrections={corrections} />
      {may("operate") && (
        <div class="button-row">
          <ButtonLink icon="download" href={addressOf(`${pathOf(day)}/file`, { lang: locale.value })} download>
            {words.download}
          </ButtonLink>
        </div>
      )}
    </>
  );
}

/** Shows the totals of the day in one currency. Each figure links to the list that it counts. */
function Totals({ day, total }: { day: string; total: ReconciledDayJson["totals"][number] }) {
  const { reconciliation: words } = text();
  const { currency, approved, approvedMinor, declined, refunds, refundedMinor, netMinor } = total;
  const ofDay = (filter: Readonly<Record<string, string>>) => listHref("transactions", { from: day, to: day, currency, ...filter });
  return (
    <Tiles>
      <Tile
        label={words.approved}
        value={formatMoney(approvedMinor, currency)}
        note={words.paymentCount(formatNumber(approved))}
        href={ofDay({ status: "OK" })}
      />
      <Tile label={words.declined} value={formatNumber(declined)} href={ofDay({ status: "KO" })} />
      <Tile
        label={words.refunded}
        value={formatMoney(refundedMinor, currency)}
        note={words.refundCount(formatNumber(refunds))}
        href={ofDay({ refundState: "ANY" })}
      />
      <Tile label={words.net} value={formatMoney(netMinor, currency)} note={words.netHint} />
    </Tiles>
  );
}

/** Lists the uuids of payments that somebody has to check. */
function NamedPayments({ title, help, payments }: { title: string; help: string; payments: ReconciledDayJson["unknown"] }) {
  const { reconciliation: words } = text();
  const { count, items } = payments;
  if (count === 0) return null;
  return (
    <section class="form section">
      <h3>
        {title}: {formatNumber(count)}
      </h3>
      <Banner kind="warning">{help}</Banner>
      <ul class="plain-list">
        {items.map(({ uuid, terminalId }) => (
          <li key={`${uuid} ${terminalId}`} class="break">
            <a class="mono" href={objectHref("transactions", uuid)}>
              {uuid}
            </a>{" "}
            <span class="muted">{terminalId}</span>
          </li>
        ))}
      </ul>
      {count > items.length && <p class="muted">{words.andMore(count - items.length)}</p>}
    </section>
  );
}
