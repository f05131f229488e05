import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { WebhookDeliveryJson, WebhookEndpointListJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import type { Column } from "../../components/table.tsx";
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
  const { webhooks: words } = text();
  const filters = useFilters(FILTERS);
  const { route } = useLocation();
  const [resending, setResending] = useState(false);
  /** Counts what was changed here. */
  const [round, setRound] = useState(0);
  const changed = () => setRound((before) => before + 1);
  const query = queryOf(filters.values);
  const endpointId = query["endpointId"] ?? null;
  return (
    <>
      <FilterBar count={filters.count}>
        <DeliveryFilters filters={filters} endpoints={endpoints} />
      </FilterBar>
      <div class="button-row list-actions">
        <Button icon="refresh" onClick={() => setResending(true)}>
          {words.resendFailed}
        </Button>
      </div>
      <ObjectList<WebhookDeliveryJson>
        path="/webhooks/deliveries"
        query={query}
        filters={filters}
        round={round}
        end={words.deliveriesEnd}
        empty={
          <EmptyState icon="webhook" title={words.noDeliveriesTitle}>
            {words.noDeliveriesText}
          </EmptyState>
        }
        caption={words.deliveries}
        columns={columnsOf()}
        keyOf={(delivery) => delivery.id}
        onOpen={(delivery) => route(webhooksHref("deliveries", { id: delivery.id, query: filters.query }))}
        phone="lines"
      />
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
