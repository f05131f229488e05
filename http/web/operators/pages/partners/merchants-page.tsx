import { useEffect, useState } from "preact/hooks";
import type { MerchantJson } from "../../../../surfaces/admin/merchant-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { hasCode } from "../../../portal/api/errors.ts";
import { Button } from "../../../portal/components/button.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { TextField } from "../../../portal/components/field.tsx";
import { Form } from "../../../portal/components/form.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { formatExactTime } from "../../../portal/i18n/format.ts";
import type { PageProps } from "../../../portal/pages/page-props.ts";
import { navigate } from "../../../portal/state/navigation.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { MerchantState } from "./merchant-state.tsx";
import { PortalUsers } from "./portal-users.tsx";

const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A merchant by its id: whose it is, and who may open its portal. Lists of them are with their partners. */
export function MerchantsPage({ id }: PageProps) {
  const { merchants: own } = words();
  const [written, setWritten] = useState(id ?? "");
  const [checked, setChecked] = useState(false);
  useEffect(() => setWritten(id ?? ""), [id]);
  const problem = ID.test(written.trim()) ? null : own.idForm;
  return (
    <Page title={own.title} lead={own.lead}>
      <Panel>
        <Form
          onSubmit={() => {
            setChecked(true);
            if (problem === null) navigate(pageHref("merchants", written.trim()));
          }}
        >
          <TextField
            label={own.id}
            hint={own.idHint}
            type="search"
            autoComplete="off"
            maxLength={64}
            value={written}
            onInput={setWritten}
            error={checked ? problem : null}
            mono
          />
          <div>
            <Button type="submit" kind="primary" icon="search">
              {own.open}
            </Button>
          </div>
        </Form>
      </Panel>
      {id !== null && ID.test(id) && <Merchant key={id} merchantId={id} />}
    </Page>
  );
}

function Merchant({ merchantId }: { merchantId: string }) {
  const { merchants: own } = words();
  const path = `/api/merchants/${encodeURIComponent(merchantId)}`;
  const merchant = useResource(path, (signal) => get<MerchantJson>(path, { signal }));
  if (hasCode(merchant.error, "not_found")) {
    return (
      <Panel>
        <EmptyState icon="search" title={own.unknownTitle}>
          {own.unknownText}
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Loaded of={merchant}>
      {(data) => (
        <>
          <Panel title={data.merchantName} actions={<MerchantState merchant={data} />}>
            <Facts
              of={[
                [
                  own.id,
                  <span key="id" class="mono">
                    {data.merchantId}
                  </span>,
                ],
                [
                  own.partner,
                  <a key="partner" href={pageHref("partners", String(data.partnerId))}>
                    {data.partnerName ?? data.partnerId}
                  </a>,
                ],
                [own.services, data.services.length === 0 ? own.noServices : data.services.join(", ")],
                [own.since, formatExactTime(data.createdAt)],
              ]}
            />
          </Panel>
          <PortalUsers merchantId={merchantId} isActive={data.active} />
        </>
      )}
    </Loaded>
  );
}
