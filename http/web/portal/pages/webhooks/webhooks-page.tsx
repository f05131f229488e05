import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { WebhookEndpointListJson, WebhookEndpointWithSecretJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { get } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Page } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import type { PageProps } from "../page-props.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { EndpointDrawer } from "./endpoint-drawer.tsx";
import { EndpointList } from "./endpoint-list.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { webhooksHref } from "./words.ts";

/**
 * Shows webhook endpoints and deliveries. The address holds the tab, the filters and the opened
 * object.
 */
export function WebhooksPage({ id }: PageProps) {
  const { webhooks: words } = text();
  const { query, route } = useLocation();
  const endpoints = useResource("webhooks", (signal) => get<WebhookEndpointListJson>("/webhooks", { signal }));
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<WebhookEndpointWithSecretJson | null>(null);
  const { data } = endpoints;
  const tab = query["tab"] === "deliveries" ? "deliveries" : "endpoints";
  const isFull = data !== null && data.items.length >= data.max;
  const opened = data?.items.find((endpoint) => endpoint.id === id) ?? null;
  const close = () => route(webhooksHref("endpoints"));
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Button kind="primary" icon="plus" disabled={data === null || isFull} onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      }
    >
      {data !== null && isFull && <Banner>{words.full(data.max)}</Banner>}
      <Tabs
        label={words.title}
        tabs={[
          { key: "endpoints", label: words.endpoints },
          { key: "deliveries", label: words.deliveries },
        ]}
        selected={tab}
        onSelect={(chosen) => route(webhooksHref(chosen))}
      >
        <div class="tab-page">
          {tab === "deliveries" ? (
            <DeliveryList id={id} endpoints={data} />
          ) : (
            <EndpointList endpoints={endpoints} onOpen={(endpointId) => route(webhooksHref("endpoints", { id: endpointId }))} />
          )}
        </div>
      </Tabs>
      {tab === "endpoints" && opened !== null && data !== null && (
        <EndpointDrawer
          key={opened.id}
          endpoint={opened}
          offered={data.events}
          onClose={close}
          onChanged={endpoints.reload}
          onSecret={setMade}
        />
      )}
      {tab === "endpoints" && id !== null && opened === null && data !== null && (
        <Drawer title={words.endpoint} onClose={close}>
          <EmptyState icon="search" title={words.unknownEndpointTitle}>
            {words.unknownText}
          </EmptyState>
        </Drawer>
      )}
      {creating && data !== null && (
        <CreateDialog
          offered={data.events}
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false);
            setMade(created);
            endpoints.reload();
          }}
        />
      )}
      {made !== null && <SecretDialog secret={made.secret} formerUntil={made.endpoint.formerSecretUntil} onDone={() => setMade(null)} />}
    </Page>
  );
}
