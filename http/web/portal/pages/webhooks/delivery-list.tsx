import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { DELIVERY_LIST as filters } from "../../../../surfaces/merchant/webhooks/list.ts";
import type { WebhookDeliveryJson, WebhookEndpointListJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { Button } from "../../components/button.tsx";
import { Clip } from "../../components/clip.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { c, desk } from "../../list/columns.tsx";
import type { ListDeclaration } from "../../list/declaration.ts";
import { FilteredList, useList } from "../../list/list-page.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { DeliveryOutcome } from "./delivery-outcome.ts";
import { ResendFailedDialog } from "./resend-failed-dialog.tsx";
import { shortUrl, webhooksHref } from "./words.ts";

const DELIVERY_LIST = { page: "webhooks", path: "/webhooks/deliveries", filters } as const satisfies ListDeclaration;

const TEST_EVENT = "webhook.test";

/**
 * Lists the deliveries to all endpoints, newest first. The address holds the filters and the opened
 * delivery.
 */
export function DeliveryList({ id, endpoints }: { id: string | null; endpoints: WebhookEndpointListJson | null }) {
  const { webhooks: words } = text();
  const list = useList(DELIVERY_LIST);
  const { filters, query, changed } = list;
  const { route } = useLocation();
  const [resending, setResending] = useState(false);
  const { items = [], events = { portal: [], platform: [] } } = endpoints ?? {};
  const types = [...new Set([...events.portal, ...events.platform, TEST_EVENT])];
  return (
    <>
      <FilteredList<WebhookDeliveryJson, typeof DELIVERY_LIST>
        list={DELIVERY_LIST}
        state={list}
        texts={{
          title: words.deliveries,
          end: words.deliveriesEnd,
          emptyTitle: words.noDeliveriesTitle,
          emptyText: words.noDeliveriesText,
        }}
        icon="webhook"
        fields={{
          objectId: { label: words.object, hint: words.objectHint, type: "search" },
          outcome: { label: words.outcome, words: words.outcomes },
          eventType: { label: words.eventType, choices: types.map((value) => ({ value, label: value })) },
          endpointId: { label: words.endpoint, choices: items.map((endpoint) => ({ value: endpoint.id, label: shortUrl(endpoint.url) })) },
        }}
        buttons={
          <div class="button-row list-actions">
            <Button icon="refresh" onClick={() => setResending(true)}>
              {words.resendFailed}
            </Button>
          </div>
        }
        columns={[
          c.clip("eventType", words.eventType, "mono"),
          c.state("outcome", words.outcome, DeliveryOutcome),
          {
            key: "created",
            header: words.happened,
            cell: ({ createdAt }) => (
              <span class="nowrap">
                <Time at={createdAt} />
              </span>
            ),
          },
          { key: "answer", header: words.lastAnswer, cell: answerText },
          desk(c.clip("objectId", words.object, "mono clip-narrow")),
          desk({
            key: "endpoint",
            header: words.endpoint,
            cell: ({ url }) => <Clip look="clip-rest">{url === null ? words.endpointGone : shortUrl(url)}</Clip>,
          }),
        ]}
        keyOf={(delivery) => delivery.id}
        onOpen={(delivery) => route(webhooksHref("deliveries", { id: delivery.id, query: filters.query }))}
      />
      {resending && <ResendFailedDialog endpointId={query["endpointId"] ?? null} onClose={() => setResending(false)} onResent={changed} />}
      {id !== null && (
        <DeliveryDrawer key={id} id={id} onClose={() => route(webhooksHref("deliveries", { query: filters.query }))} onChanged={changed} />
      )}
    </>
  );
}

function answerText({ attempts, lastStatus }: WebhookDeliveryJson): string {
  const { webhooks: words } = text();
  if (attempts === 0) return words.notTried;
  return lastStatus === null ? words.noAnswer : String(lastStatus);
}
