import type { Bus } from "../../../../engine/kernel/bus.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { createSearch, type SearchOptions } from "../../../../engine/operators/search.ts";
import { createMerchantStore } from "../../../../engine/partners/merchant-store.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import { createAttentionStore } from "../../../../engine/payments/attention-store.ts";
import type { FedSearch } from "../../../../engine/payments/fed-search.ts";
import { createAdministrationSearch } from "../../../../engine/search/administration-search.ts";
import type { PresenceStore } from "../../../../engine/sessions/presence-store.ts";
import type { SearchOperations } from "../../../../http/surfaces/admin/search.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { MAIN } from "../../boot/shard-boot.ts";

/** The main thread itself gives up after two queries of four seconds. */
const FED_MS = 9_000;

export interface SearchParts
  extends Pick<
    SearchOptions,
    "terminals" | "unsolicited" | "links" | "intent" | "portalLink" | "subscription" | "dispute" | "alert" | "registerRoutes"
  > {
  kv: Kv;
  bus: Pick<Bus<NodeProtocol>, "request">;
  partners: Pick<Partners, "list">;
  presences: Pick<PresenceStore, "page">;
  configuredTerminals(): Iterable<string>;
  nodes(): Promise<readonly { readonly nodeId: string }[]>;
}

/** Operators' search by uuid or id, and their removal of items for attention. */
export function composeSearch({ kv, bus, partners, presences, configuredTerminals, nodes, ...parts }: SearchParts): SearchOperations {
  const attention = createAttentionStore(kv);
  const fed: FedSearch = (wanted, gone) => bus.request(MAIN, "node.search", wanted, FED_MS, gone);
  return {
    attentionItems: attention,
    search: createAdministrationSearch({
      ...{ fed, configuredTerminals, nodes, merchants: createMerchantStore(kv) },
      seenTerminals: (after, limit) => presences.page(after, limit),
      partners: () => partners.list().map(({ record: { id, username } }) => ({ id, username })),
      byId: createSearch({
        ...parts,
        attention,
        partnerIds: () => partners.list().map(({ record }) => record.id),
        fed,
      }),
    }),
  };
}
