import { createIntents } from "../../../../engine/intents/create-intents.ts";
import type { IntentRecord } from "../../../../engine/intents/intent.ts";
import { createIntentCompanion } from "../../../../engine/intents/intent-companion.ts";
import { createIntentIndexStore } from "../../../../engine/intents/intent-index-store.ts";
import type { IsUnderDispute } from "../../../../engine/intents/intents.ts";
import { intentWorkflow } from "../../../../engine/intents/workflow.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { LinkCompanion } from "../../../../engine/links/link-companion.ts";
import type { Links } from "../../../../engine/links/links.ts";
import type { MerchantAccounts } from "../../../../engine/links/merchant-accounts.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { createWorkflow } from "../../../../engine/workflow/run-workflow.ts";
import { createWorkflowStore } from "../../../../engine/workflow/workflow-store.ts";
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
  /** The address by which buyers' browsers reach the relay. It is known once the node listens. */
  publicUrl(): string;
}

export interface ComposedCompat {
  /** Updates intents in the commits of the links that are their attempts. */
  companion: LinkCompanion;
  /** Finds the intent of any merchant, for operators. */
  byId(id: string): Promise<IntentRecord | null>;
  /** Returns the operations over links that have the companion. */
  over(links: Links): Pick<CompatOperations, "intents" | "compatObjects" | "isUnderDispute">;
}

/**
 * Composes payment intents of a shard in two steps. Links are composed between them, because their
 * commits call the companion and intents use links.
 */
export function composeCompat({ kv, clock, ids, accounts, retentionMs, activity, isUnderDispute, publicUrl }: CompatParts): ComposedCompat {
  const objects = intentObjectsOf((token) => `${publicUrl()}/pay/i/${token}`);
  const definition = intentWorkflow(objects);
  const store = createWorkflowStore(kv, definition, retentionMs);
  const digest = sha256Hex;
  const workflow = createWorkflow(definition, {
    ...{ store, clock, digest, eventOperations, activity },
    ...{ objectOf: objects.intent, count: () => undefined },
  });
  return {
    byId: async (id) => (await store.load(id))?.record ?? null,
    companion: createIntentCompanion({ workflow, isUnderDispute, digest }),
    over: (links) => ({
      compatObjects: objects,
      isUnderDispute,
      intents: createIntents({
        ...{ workflow, indexes: createIntentIndexStore(kv, store), digest, links, accounts, clock, ids },
        returnUrl: (token) => `${publicUrl()}/pay/return/${token}`,
      }),
    }),
  };
}
