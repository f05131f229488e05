import type { MerchantJson } from "../../../../surfaces/admin/merchant-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { FilterBar } from "../../../portal/components/filter-bar.tsx";
import { ObjectList } from "../../../portal/components/object-list.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { type ListDeclaration, queryOf } from "../../../portal/list/declaration.ts";
import { FilterFields } from "../../../portal/list/filter-fields.tsx";
import type { PageProps } from "../../../portal/pages/page-props.ts";
import { useFilters } from "../../../portal/state/filters.ts";
import { navigate } from "../../../portal/state/navigation.ts";
import { useResource } from "../../../portal/state/resource.ts";
import type { PartnerJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { MerchantDrawer } from "./merchant-drawer.tsx";
import { MerchantState } from "./merchant-state.tsx";

const LIST = {
  page: "merchants",
  path: "/api/merchants",
  filters: {
    q: { type: "text", maxLength: 64 },
    partnerId: { type: "integer", minimum: 1, maximum: 999_999_999 },
    environment: { type: "word", words: ["TEST", "LIVE"] },
    state: { type: "word", words: ["ACTIVE", "INACTIVE"] },
  },
} as const satisfies ListDeclaration;

const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Partners among the choices; the address may name others. */
const PARTNERS = 500;

/** The merchants of all partners. */
export function MerchantsPage({ id }: PageProps) {
  const { merchants: own } = words();
  const filters = useFilters(Object.keys(LIST.filters));
  const partners = useResource("partners", (signal) => get<PartnerJson[]>("/api/partners", { signal, query: { limit: PARTNERS } }));
  const go = (merchantId?: string) => navigate(`${pageHref("merchants", merchantId)}${filters.query === "" ? "" : `?${filters.query}`}`);
  return (
    <Page title={own.title} lead={own.lead}>
      <FilterBar count={filters.count}>
        <FilterFields
          list={LIST}
          filters={filters}
          seesPersonalData={false}
          fields={{
            q: { label: own.find, type: "search" },
            partnerId: {
              label: own.partner,
              choices: (partners.data ?? []).map((partner) => ({ value: String(partner.id), label: partner.username })),
            },
            environment: { label: own.environment, words: own.environments },
            state: { label: own.state, words: { ACTIVE: own.active, INACTIVE: own.inactive } },
          }}
        />
      </FilterBar>
      <ObjectList<MerchantJson>
        path={LIST.path}
        query={queryOf(LIST, filters.values, () => false)}
        filters={filters}
        end={own.end}
        empty={
          <EmptyState icon="inbox" title={own.emptyTitle}>
            {own.emptyText}
          </EmptyState>
        }
        caption={own.title}
        keyOf={({ merchantId }) => merchantId}
        onOpen={({ merchantId }) => go(merchantId)}
        columns={[
          { key: "name", header: own.merchant, cell: ({ merchantName }) => merchantName },
          { key: "id", header: own.id, cell: ({ merchantId }) => <span class="mono break">{merchantId}</span> },
          { key: "partner", header: own.partner, cell: ({ partnerName, partnerId }) => partnerName ?? partnerId },
          { key: "state", header: own.state, cell: (merchant) => <MerchantState merchant={merchant} /> },
          {
            key: "services",
            header: own.services,
            cell: ({ services }) => (services.length === 0 ? own.noServices : services.join(", ")),
            deskOnly: true,
          },
          { key: "since", header: own.since, cell: ({ createdAt }) => <Time at={createdAt} as="date" />, deskOnly: true },
        ]}
      />
      {id !== null && ID.test(id) && <MerchantDrawer key={id} merchantId={id} onClose={() => go()} />}
    </Page>
  );
}
