import type { Bus } from "../../../../engine/kernel/bus.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { createSearch, type SearchOptions } from "../../../../engine/operators/search.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import { createAttentionStore } from "../../../../engine/payments/attention-store.ts";
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
}

/** Operators' search by uuid or id, and their removal of items for attention. */
export function composeSearch({ kv, bus, partners, ...parts }: SearchParts): SearchOperations {
  const attention = createAttentionStore(kv);
  return {
    attentionItems: attention,
    search: createSearch({
      ...parts,
      attention,
      partnerIds: () => partners.list().map(({ record }) => record.id),
      fed: (uuids, gone) => bus.request(MAIN, "node.search", { uuids }, FED_MS, gone),
    }),
  };
}
