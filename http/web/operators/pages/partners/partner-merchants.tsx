import type { MerchantJson } from "../../../../surfaces/admin/merchant-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { PagedTable } from "../../components/paged-table.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { usePages } from "../../state/pages.ts";
import { MerchantState } from "./merchant-state.tsx";

const PAGE = 50;

/** The merchants of a partner, each with a link to its people. */
export function PartnerMerchants({ partnerId }: { partnerId: number }) {
  const { merchants: own } = words();
  const path = `/api/partners/${partnerId}/merchants`;
  const pages = usePages<MerchantJson>(path, PAGE, (last, signal) =>
    get(path, { ...(signal === undefined ? {} : { signal }), query: { limit: PAGE, after: last?.merchantId } }),
  );
  return (
    <section>
      <h3>{own.title}</h3>
      <PagedTable
        pages={pages}
        rows={pages.items}
        caption={own.title}
        keyOf={({ merchantId }) => merchantId}
        columns={[
          {
            key: "name",
            header: own.merchant,
            cell: ({ merchantId, merchantName }) => <a href={pageHref("merchants", merchantId)}>{merchantName}</a>,
          },
          { key: "state", header: own.state, cell: (merchant) => <MerchantState merchant={merchant} /> },
        ]}
        empty={<p class="muted">{own.none}</p>}
      />
    </section>
  );
}
