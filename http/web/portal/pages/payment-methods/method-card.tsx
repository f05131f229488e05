import { useState } from "preact/hooks";
import type { PaymentMethodJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { post } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Switch } from "../../components/switch.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatDateTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { may, merchant } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { MethodBadges } from "./method-badges.tsx";

/** Describes one method and its state, and opens its configuration. */
export function MethodCard({
  method,
  onOpen,
  onChanged,
}: {
  method: PaymentMethodJson;
  onOpen: () => void;
  onChanged: (changed: PaymentMethodJson) => void;
}) {
  const { paymentMethods: words } = text();
  const { service, enabled, configured, mode, updatedAt } = method;
  const { name, about } = words.services[service];
  const [asking, setAsking] = useState(false);
  const turn = async (on: boolean): Promise<void> => {
    const path = `/payment-methods/${service}/${on ? "enable" : "disable"}`;
    // Repeating this call changes nothing, so it needs no idempotency key.
    onChanged(await post<PaymentMethodJson>(path));
    toast(on ? words.turnedOn(name) : words.turnedOff(name));
  };
  const turning = useAction(turn);
  return (
    <article class="method" aria-label={name}>
      <div class="method-head">
        <div>
          <h2>{name}</h2>
          <p class="method-text">{about}</p>
        </div>
        {may("configure") && (
          <Switch
            label={words.use(name)}
            on={enabled}
            busy={turning.busy}
            // Turning off a configured method needs a confirmation, because customers may use it.
            onChange={(on) => (on || !configured ? void turning.run(on) : setAsking(true))}
          />
        )}
      </div>
      <MethodBadges method={method} />
      {mode === "live" && merchant.value?.environment === "TEST" && <Banner kind="warning">{words.liveInTest}</Banner>}
      {enabled && !configured && <Banner kind="warning">{words.onNotConfigured}</Banner>}
      {turning.error !== null && (
        <Banner kind="danger" alert>
          {errorText(turning.error)}
        </Banner>
      )}
      <div class="method-foot">
        <span>{updatedAt === null ? "" : words.changedAt(formatDateTime(updatedAt))}</span>
        <Button small onClick={onOpen} label={`${may("configure") ? words.configure : words.show}: ${name}`}>
          {may("configure") ? words.configure : words.show}
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title={words.turnOffTitle(name)}
          confirm={words.turnOff}
          danger
          act={() => turn(false)}
          onClose={() => setAsking(false)}
        >
          {words.turnOffText}
        </ConfirmDialog>
      )}
    </article>
  );
}
