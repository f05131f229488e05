import type { Static, TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { BoardQuery } from "../../../../engine/cases/case-list.ts";
import type { ExportFilters, ExportList } from "../../../../engine/exports/export.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { MerchantTransactionFilter } from "../../../../engine/payments/merchant-transactions.ts";
import type { PortalLinkQuery } from "../../../../engine/portal-links/portal-links.ts";
import type { SubscriptionQuery } from "../../../../engine/subscriptions/subscriptions.ts";
import { textReader } from "../../../endpoint/text-members.ts";
import { printable } from "../../../endpoint/unknown-members.ts";
import type { LocalTime } from "../../parts/time.ts";
import { DisputeFilters, disputeFilterOf } from "../disputes/dispute-query.ts";
import { PaymentLinkFilters, paymentLinkFilterOf } from "../payment-links/payment-link-query.ts";
import { SubscriptionFilters, subscriptionFilterOf } from "../subscriptions/subscription-query.ts";
import { filterOf, TransactionFilters } from "../transaction-query.ts";

type Page = "limit" | "cursor";

/** The query of a list, as the list's endpoint receives it. */
export type ListQuery =
  | { readonly list: "transactions"; readonly filter: MerchantTransactionFilter }
  | { readonly list: "payment-links"; readonly filter: Omit<PortalLinkQuery, Page> }
  | { readonly list: "disputes"; readonly filter: Omit<BoardQuery, Page> }
  | { readonly list: "subscriptions"; readonly filter: Omit<SubscriptionQuery, Page> };

const OF_TRANSACTIONS = reader(TransactionFilters);
const OF_LINKS = reader(PaymentLinkFilters);
const OF_DISPUTES = reader(DisputeFilters);
const OF_SUBSCRIPTIONS = reader(SubscriptionFilters);

/**
 * Reads filters as the list's endpoint reads them from its query. Throws RelayError
 * `invalid_request` for what that endpoint would reject, and for an unknown filter, because a
 * typing error must not export everything. Relative times count from `nowMs`.
 */
export function listQueryOf(list: ExportList, filters: ExportFilters, caller: Caller, localTime: LocalTime, nowMs: number): ListQuery {
  switch (list) {
    case "transactions":
      return { list, filter: filterOf(OF_TRANSACTIONS(list, filters), localTime) };
    case "payment-links":
      return { list, filter: paymentLinkFilterOf(OF_LINKS(list, filters), caller, localTime) };
    case "disputes":
      return { list, filter: disputeFilterOf(OF_DISPUTES(list, filters), localTime, nowMs) };
    case "subscriptions":
      return { list, filter: subscriptionFilterOf(OF_SUBSCRIPTIONS(list, filters), caller, localTime) };
  }
}

function reader<S extends TObject>(schema: S): (list: ExportList, filters: ExportFilters) => Static<S> {
  const read = textReader(schema);
  return (list, filters) => {
    const unknown = Object.keys(filters).find((name) => !Object.hasOwn(schema.properties, name));
    if (unknown !== undefined) throw new RelayError("invalid_request", `filters.${printable(unknown)}: is not a filter of ${list}`);
    const query = read((name) => (Object.hasOwn(filters, name) ? String(filters[name]) : undefined));
    // The filters were checked when the export was requested; this check narrows the type.
    if (!Value.Check(schema, query)) throw new RelayError("invalid_request", "filters: are not valid");
    return query;
  };
}
