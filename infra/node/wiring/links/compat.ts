import { createIntents } from "../../../../engine/intents/create-intents.ts";
import type { IntentRecord } from "../../../../engine/intents/intent.ts";
import { createIntentCompanion } from "../../../../engine/intents/intent-companion.ts";
import { createIntentStore } from "../../../../engine/intents/intent-store.ts";
import type { IsUnderDispute } from "../../../../engine/intents/intents.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { LinkCompanion } from "../../../../engine/links/link-companion.ts";
import type { Links } from "../../../../engine/links/links.ts";
import type { MerchantAccounts } from "../../../../engine/links/merchant-accounts.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { intentObjectsOf } from "../../../../http/surfaces/compat/objects.ts";
import type { CompatOperations } from "../../../../http/surfaces/compat/operations.ts";

export interface CompatParts {
  kv: Kv;
  clock: Clock;
  ids: Ids;
  accounts: MerchantAccounts;
  retentionMs: number;
  activity: ActivityLog;
  isUnderDispute: IsUnderDispute;
  /** Where buyers' browsers reach the relay; asked once the node listens. */
  publicUrl(): string;
}

export interface ComposedCompat {
  /** Keeps intents beside the links that are their attempts. */
  companion: LinkCompanion;
  /** Whosever it is: for operators. */
  byId(id: string): Promise<IntentRecord | null>;
  /** The operations over links that have the companion. */
  over(links: Links): Pick<CompatOperations, "intents" | "compatObjects" | "isUnderDispute">;
}

/** Payment intents of a shard. Links are composed between the two steps: each of their commits asks the companion, and intents use links. */
export function composeCompat({ kv, clock, ids, accounts, retentionMs, activity, isUnderDispute, publicUrl }: CompatParts): ComposedCompat {
  const objects = intentObjectsOf((token) => `${publicUrl()}/pay/i/${token}`);
  const store = createIntentStore({ kv, retentionMs, eventOperations });
  const telling = { objects, digest: sha256Hex };
  return {
    byId: async (id) => (await store.load(id))?.record ?? null,
    companion: createIntentCompanion({ store, isUnderDispute, activity, ...telling }),
    over: (links) => ({
      compatObjects: objects,
      isUnderDispute,
      intents: createIntents({
        ...{ store, links, accounts, clock, ids, activity, ...telling },
        returnUrl: (token) => `${publicUrl()}/pay/return/${token}`,
      }),
    }),
  };
}
