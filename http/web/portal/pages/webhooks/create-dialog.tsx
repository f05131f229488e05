import type { WebhookEndpointListJson, WebhookEndpointWithSecretJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { post } from "../../api/client.ts";
import { Dialog } from "../../components/dialog.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { EndpointForm, type Written } from "./endpoint-form.tsx";

const NEW: Written = { format: "portal", url: "", description: "", events: ["*"] };

export function CreateDialog({
  offered,
  onClose,
  onCreated,
}: {
  offered: WebhookEndpointListJson["events"];
  onClose: () => void;
  onCreated: (created: WebhookEndpointWithSecretJson) => void;
}) {
  const { webhooks: words } = text();
  const sendOnce = useSendOnce();
  const create = useAction(async ({ format, url, description, events }: Written) => {
    const body = { format, url, events, ...(description === "" ? {} : { description }) };
    onCreated(await sendOnce(body, (idempotencyKey) => post<WebhookEndpointWithSecretJson>("/webhooks", body, { idempotencyKey })));
  });
  return (
    <Dialog title={words.create} onClose={onClose}>
      <EndpointForm
        initial={NEW}
        offered={offered}
        isNew
        submit={words.createNow}
        action={create}
        onSubmit={(written) => void create.run(written)}
      />
    </Dialog>
  );
}
