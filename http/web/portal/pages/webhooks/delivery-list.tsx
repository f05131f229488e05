import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { WebhookDeliveryJson, WebhookEndpointListJson } from "../../../../surfaces/merchant/schemas.ts";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LiveList } from "../../components/live-list.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { DeliveryFilters } from "./delivery-filters.tsx";
import { DeliveryOutcome } from "./delivery-outcome.tsx";
import { ResendFailedDialog } from "./resend-failed-dialog.tsx";
import { FILTERS, queryOf, shortUrl, webhooksHref } from "./words.ts";

/** What was posted to all endpoints, newest first. Filters and the opened delivery stand in the address. */
export function DeliveryList({ id, endpoints }: { id: string | null; endpoints: WebhookEndpointListJson | null }) {
  const { webhooks: words, transactions } = text();
  const filters = useFilters(FILTERS);
  const { route } = useLocation();
  const [filtering, setFiltering] = useState(false);
  const [resending, setResending] = useState(false);
  /** Counts what was changed here. */
  const [round, setRound] = useState(0);
  const changed = () => setRound((before) => before + 1);
  const query = queryOf(filters.values);
  const endpointId = query["endpointId"] ?? null;
  const fields = <DeliveryFilters filters={filters} endpoints={endpoints} />;
  return (
    <>
      <div class="filters-desk">
        <Panel>{fields}</Panel>
      </div>
      <div class="filters-phone">
        <Button icon="filter" onClick={() => setFiltering(true)} wide>
          {transactions.filters(filters.count)}
        </Button>
      </div>
      <div class="button-row list-actions">
        <Button icon="refresh" onClick={() => setResending(true)}>
          {words.resendFailed}
        </Button>
      </div>
      <LiveList<WebhookDeliveryJson>
        key={JSON.stringify(query)}
        path="/webhooks/deliveries"
        query={query}
        round={round}
        end={words.deliveriesEnd}
        empty={
          filters.count > 0 ? (
            <EmptyState
              icon="search"
              title={transactions.noMatchTitle}
              action={<Button onClick={filters.clear}>{transactions.clear}</Button>}
            >
              {transactions.noMatchText}
            </EmptyState>
          ) : (
            <EmptyState icon="webhook" title={words.noDeliveriesTitle}>
              {words.noDeliveriesText}
            </EmptyState>
          )
        }
      >
        {(items) => (
          <Table
            caption={words.deliveries}
            columns={columnsOf()}
            rows={items}
            keyOf={(delivery) => delivery.id}
            onOpen={(delivery) => route(webhooksHref("deliveries", { id: delivery.id, query: filters.query }))}
            phone="lines"
          />
        )}
      </LiveList>
      {filtering && (
        <Drawer title={transactions.filters(filters.count)} onClose={() => setFiltering(false)}>
          {fields}
          <Button kind="primary" wide onClick={() => setFiltering(false)}>
            {transactions.showResults}
          </Button>
        </Drawer>
      )}
      {resending && <ResendFailedDialog endpointId={endpointId} onClose={() => setResending(false)} onResent={changed} />}
      {id !== null && (
        <DeliveryDrawer key={id} id={id} onClose={() => route(webhooksHref("deliveries", { query: filters.query }))} onChanged={changed} />
      )}
    </>
  );
}

function columnsOf(): Column<WebhookDeliveryJson>[] {
  const { webhooks: words } = text();
  return [
    { key: "type", header: words.eventType, cell: ({ eventType }) => <span class="mono clip">{eventType}</span> },
    { key: "outcome", header: words.outcome, cell: ({ outcome }) => <DeliveryOutcome outcome={outcome} /> },
    {
      key: "created",
      header: words.happened,
      cell: ({ createdAt }) => (
        <span class="nowrap">
          <Time at={createdAt} />
        </span>
      ),
    },
    { key: "answer", header: words.lastAnswer, cell: (delivery) => answerText(delivery) },
    { key: "object", header: words.object, cell: ({ objectId }) => <span class="mono clip clip-narrow">{objectId}</span>, deskOnly: true },
    {
      key: "endpoint",
      header: words.endpoint,
      cell: ({ url }) => <span class="clip clip-rest">{url === null ? words.endpointGone : shortUrl(url)}</span>,
      deskOnly: true,
    },
  ];
}

function answerText({ attempts, lastStatus }: WebhookDeliveryJson): string {
  const { webhooks: words } = text();
  if (attempts === 0) return words.notTried;
  return lastStatus === null ? words.noAnswer : String(lastStatus);
}
