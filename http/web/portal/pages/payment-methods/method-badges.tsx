import type { PaymentMethodJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

/** Shows the method's state. TEST and LIVE are not translated, as in the portal's frame. */
export function MethodBadges({ method: { enabled, configured, mode } }: { method: PaymentMethodJson }) {
  const { paymentMethods: words } = text();
  return (
    <p class="method-badges">
      <Badge kind={enabled ? (configured ? "good" : "warn") : "neutral"}>{enabled ? words.on : words.off}</Badge>
      <Badge kind={configured ? "neutral" : "warn"}>{configured ? words.configured : words.notConfigured}</Badge>
      {mode !== null && (
        <Badge kind={mode === "live" ? "accent" : "warn"} dot={false}>
          {mode === "live" ? "LIVE" : "TEST"}
        </Badge>
      )}
    </p>
  );
}
