import type { Static } from "@sinclair/typebox";
import { useLocation } from "preact-iso/router";
import type { PaymentMethodJson, PaymentMethods } from "../../../../surfaces/merchant/methods/schemas.ts";
import { get } from "../../api/client.ts";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded } from "../../components/panel.tsx";
import { text } from "../../i18n/texts.ts";
import { type Resource, useResource } from "../../state/resource.ts";
import type { PageProps } from "../page-props.ts";
import { MethodCard } from "./method-card.tsx";
import { MethodDrawer } from "./method-drawer.tsx";

type PaymentMethodsJson = Static<typeof PaymentMethods>;

const PAGE = "/portal/payment-methods";

/** Shows the payment methods that the partner permits, and which of them customers can use. */
export function PaymentMethodsPage({ id }: PageProps) {
  const { paymentMethods: words } = text();
  const { route } = useLocation();
  const methods = useResource("payment-methods", (signal) => get<PaymentMethodsJson>("/payment-methods", { signal }));
  const { data } = methods;
  const opened = data?.items.find(({ service }) => service === id) ?? null;
  const close = () => route(PAGE);
  return (
    <Page title={words.title} lead={words.lead}>
      <Loaded of={methods}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="card" title={words.emptyTitle}>
              {words.emptyText}
            </EmptyState>
          ) : (
            <div class="methods">
              {items.map((method) => (
                <MethodCard
                  key={method.service}
                  method={method}
                  onOpen={() => route(`${PAGE}/${method.service}`)}
                  onChanged={(changed) => show(methods, changed)}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      {opened !== null && (
        <MethodDrawer key={opened.service} method={opened} onClose={close} onChanged={(changed) => show(methods, changed)} />
      )}
      {opened === null && id !== null && data !== null && (
        <Drawer title={id} onClose={close}>
          <EmptyState icon="search" title={words.unknownTitle}>
            {words.unknownText}
          </EmptyState>
        </Drawer>
      )}
    </Page>
  );
}

/** Replaces a method in the list by the relay's answer to a change. */
function show(methods: Resource<PaymentMethodsJson>, changed: PaymentMethodJson): void {
  if (methods.data === null) return;
  methods.replace({ items: methods.data.items.map((one) => (one.service === changed.service ? changed : one)) });
}
