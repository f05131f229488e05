import type { WebhookEndpointJson, WebhookEndpointListJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { Clip } from "../../components/clip.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { text } from "../../i18n/texts.ts";
import type { Resource } from "../../state/resource.ts";
import { EndpointState } from "./endpoint-state.tsx";
import { eventsText, shortUrl } from "./words.ts";

export function EndpointList({ endpoints, onOpen }: { endpoints: Resource<WebhookEndpointListJson>; onOpen: (id: string) => void }) {
  const { webhooks: words } = text();
  const { data } = endpoints;
  return (
    <Panel flush {...(data === null ? {} : { title: words.count(data.items.length, data.max) })}>
      <Loaded of={endpoints} skeleton={<Skeleton lines={4} />}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="webhook" title={words.emptyTitle}>
              {words.emptyText}
            </EmptyState>
          ) : (
            <Table caption={words.endpoints} columns={columnsOf()} rows={items} keyOf={({ id }) => id} onOpen={({ id }) => onOpen(id)} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function columnsOf(): Column<WebhookEndpointJson>[] {
  const { webhooks: words } = text();
  return [
    { key: "url", header: words.url, cell: ({ url }) => <Clip whole={url}>{shortUrl(url)}</Clip> },
    { key: "status", header: words.status, cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { key: "format", header: words.format, cell: ({ format }) => words.formats[format] },
    { key: "events", header: words.events, cell: ({ events }) => eventsText(events) },
    { key: "description", header: words.description, cell: ({ description }) => description ?? "–", priority: 3 },
  ];
}
