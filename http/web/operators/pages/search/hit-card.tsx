import type { SearchHitJson } from "../../../../surfaces/admin/session-schemas.ts";
import { Amount } from "../../../portal/components/amount.tsx";
import { Badge } from "../../../portal/components/badge.tsx";
import { Banner } from "../../../portal/components/banner.tsx";
import { ButtonLink } from "../../../portal/components/button.tsx";
import { Copyable } from "../../../portal/components/copy.tsx";
import { Panel } from "../../../portal/components/panel.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatExactTime } from "../../../portal/i18n/format.ts";
import { toneOf } from "../../../portal/search/source.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { detailText, stateText, whatText } from "./states.ts";

/** Something that was found, as a card: what it is, how it stands, and what happened to it. */
export function HitCard({ hit }: { hit: SearchHitJson }) {
  const { search: own, attention } = words();
  const { kind, id, state, amountMinor, currency, terminalId, merchantId, createdAt, updatedAt, timeline } = hit;
  const kinds: Readonly<Record<string, { title: string; todo: string }>> = attention.kinds;
  return (
    <Panel title={own.kinds[kind]} actions={<Badge kind={toneOf(state)}>{stateText(state)}</Badge>}>
      <div class="hit">
        {hit.attention.map((flag) => (
          <Banner key={flag} kind="warning">
            <strong>{kinds[flag]?.title ?? flag}</strong> {kinds[flag]?.todo}
          </Banner>
        ))}
        <Facts
          of={[
            [own.id, <Copyable key="id" value={id} />],
            amountMinor === null ? null : [own.amount, <Amount key="amount" minor={amountMinor} currency={currency ?? ""} strong />],
            terminalId === null ? null : [own.terminal, terminalId],
            merchantId === null ? null : [own.merchant, merchantId],
            createdAt === null ? null : [own.created, formatExactTime(createdAt)],
            updatedAt === null ? null : [own.updated, formatExactTime(updatedAt)],
          ]}
        />
        {timeline.length > 0 && (
          <section>
            <h3>{own.timeline}</h3>
            <ol class="timeline">
              {timeline.map(({ at, what, detail }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what happened stays in its order.
                <li key={index} class="timeline-item">
                  <span class="timeline-what">{whatText(what)}</span>
                  {detail !== null && <span class="timeline-detail">{detailText(detail)}</span>}
                  <Time at={at} as="exact" />
                </li>
              ))}
            </ol>
          </section>
        )}
        <div class="button-row">
          {terminalId !== null && (
            <ButtonLink icon="terminals" href={pageHref("terminals", terminalId)}>
              {own.itsTerminal}
            </ButtonLink>
          )}
          {merchantId !== null && (
            <ButtonLink icon="inbox" href={pageHref("merchants", merchantId)}>
              {own.itsMerchant}
            </ButtonLink>
          )}
        </div>
      </div>
    </Panel>
  );
}
