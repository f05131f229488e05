import { useState } from "preact/hooks";
import type {
  WebhookDeliveryJson,
  WebhookEndpointJson,
  WebhookEndpointListJson,
  WebhookEndpointWithSecretJson,
} from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { patch, post, remove } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Dialog, Drawer } from "../../components/dialog.tsx";
import { Time } from "../../components/time.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatDateTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { toast } from "../../state/toasts.ts";
import { EndpointForm, type Written } from "./endpoint-form.tsx";
import { EndpointState } from "./endpoint-state.tsx";
import { webhooksHref } from "./words.ts";

export interface EndpointDrawerProps {
  endpoint: WebhookEndpointJson;
  offered: WebhookEndpointListJson["events"];
  onClose: () => void;
  onChanged: () => void;
  /** Receives a new secret, which is shown only once. */
  onSecret: (made: WebhookEndpointWithSecretJson) => void;
}

/** Shows everything about one endpoint, and what can be done with it. */
export function EndpointDrawer({ endpoint, offered, onClose, onChanged, onSecret }: EndpointDrawerProps) {
  const { webhooks: words } = text();
  const { id, format, url, events, description, disabledReason, formerSecretUntil, createdAt } = endpoint;
  return (
    <Drawer title={words.endpoint} onClose={onClose}>
      <dl class="facts">
        <dt>{words.url}</dt>
        <dd class="break">{url}</dd>
        <dt>{words.status}</dt>
        <dd>
          <EndpointState endpoint={endpoint} />
        </dd>
        <dt>{words.format}</dt>
        <dd>{words.formats[format]}</dd>
        <dt>{words.events}</dt>
        <dd>
          {events.includes("*") ? (
            words.allEvents
          ) : (
            <ul class="plain-list">
              {events.map((name) => (
                <li key={name} class="mono break">
                  {name}
                </li>
              ))}
            </ul>
          )}
        </dd>
        {description !== null && description !== "" && (
          <>
            <dt>{words.description}</dt>
            <dd class="break">{description}</dd>
          </>
        )}
        <dt>{words.created}</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>{words.id}</dt>
        <dd class="mono break">{id}</dd>
      </dl>
      {disabledReason !== null && <Banner kind="danger">{words.disabledReasons[disabledReason]}</Banner>}
      {formerSecretUntil !== null && <Banner>{words.formerUntil(formatDateTime(formerSecretUntil))}</Banner>}
      <Actions {...{ endpoint, offered, onClose, onChanged, onSecret }} />
    </Drawer>
  );
}

function Actions({ endpoint, offered, onClose, onChanged, onSecret }: EndpointDrawerProps) {
  const { webhooks: words } = text();
  const [asking, setAsking] = useState<"edit" | "disable" | "rotate" | "remove" | null>(null);
  const path = `/webhooks/${encodeURIComponent(endpoint.id)}`;
  const sendOnce = useSendOnce();
  const isEnabled = endpoint.status === "enabled";
  /**
   * Changes the endpoint as shown here. After a conflict it is loaded again, so that the next
   * attempt builds on the current state.
   */
  const change = async (changes: object): Promise<void> => {
    try {
      await patch(path, { ...changes, seen: endpoint.updatedAt });
    } catch (error) {
      if (hasCode(error, "conflict") || hasCode(error, "not_found")) onChanged();
      throw error;
    }
    onChanged();
  };
  const enable = useAction(async () => {
    await change({ status: "enabled" });
    toast(words.enabled);
  });
  const test = useAction(async () => {
    await post<WebhookDeliveryJson>(`${path}/test`);
    toast(words.tested);
  });
  const failed = enable.error ?? test.error;
  return (
    <section class="form section" aria-label={words.actions}>
      {failed !== null && (
        <Banner kind="danger" alert>
          {failed === test.error && hasCode(failed, "rate_limited") ? words.justTested : errorText(failed)}
        </Banner>
      )}
      <div class="button-row">
        <ButtonLink icon="logs" href={webhooksHref("deliveries", { query: `endpointId=${endpoint.id}` })}>
          {words.itsDeliveries}
        </ButtonLink>
        {isEnabled && (
          <Button icon="send" busy={test.busy} onClick={() => void test.run()}>
            {words.test}
          </Button>
        )}
        <Button icon="settings" onClick={() => setAsking("edit")}>
          {words.edit}
        </Button>
        <Button icon="key" onClick={() => setAsking("rotate")}>
          {words.rotate}
        </Button>
        {isEnabled ? (
          <Button onClick={() => setAsking("disable")}>{words.disable}</Button>
        ) : (
          <Button busy={enable.busy} onClick={() => void enable.run()}>
            {words.enable}
          </Button>
        )}
        <Button kind="danger-quiet" onClick={() => setAsking("remove")}>
          {words.remove}
        </Button>
      </div>
      {asking === "edit" && <EditDialog {...{ endpoint, offered, change }} onClose={() => setAsking(null)} />}
      {asking === "disable" && (
        <ConfirmDialog
          title={words.disable}
          confirm={words.disable}
          act={async () => {
            await change({ status: "disabled" });
            toast(words.disabled);
          }}
          onClose={() => setAsking(null)}
        >
          {words.disableText}
        </ConfirmDialog>
      )}
      {asking === "rotate" && (
        <ConfirmDialog
          title={words.rotate}
          confirm={words.rotate}
          act={async () => {
            const made = await sendOnce(endpoint.updatedAt, (idempotencyKey) =>
              post<WebhookEndpointWithSecretJson>(`${path}/rotate-secret`, undefined, { idempotencyKey }),
            );
            onChanged();
            onSecret(made);
          }}
          onClose={() => setAsking(null)}
        >
          {words.rotateText}
        </ConfirmDialog>
      )}
      {asking === "remove" && (
        <ConfirmDialog
          title={words.removeTitle}
          confirm={words.remove}
          danger
          act={async () => {
            await remove(path);
            toast(words.removed);
            onClose();
            onChanged();
          }}
          onClose={() => setAsking(null)}
        >
          {words.removeText}
        </ConfirmDialog>
      )}
    </section>
  );
}

function EditDialog({
  endpoint,
  offered,
  change,
  onClose,
}: {
  endpoint: WebhookEndpointJson;
  offered: WebhookEndpointListJson["events"];
  change: (changes: object) => Promise<void>;
  onClose: () => void;
}) {
  const { webhooks: words, app } = text();
  const { format, url, events, description } = endpoint;
  const save = useAction(async (written: Written) => {
    await change({
      url: written.url,
      events: written.events,
      description: written.description === "" ? null : written.description,
    });
    toast(words.saved);
    onClose();
  });
  return (
    <Dialog title={words.edit} onClose={onClose}>
      <EndpointForm
        initial={{ format, url, events, description: description ?? "" }}
        offered={offered}
        isNew={false}
        submit={app.save}
        action={save}
        onSubmit={(written) => void save.run(written)}
      />
    </Dialog>
  );
}
