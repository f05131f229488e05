import type { AttemptState, IntentStatus } from "../../../../../engine/intents/intent.ts";
import type { LinkState } from "../../../../../engine/links/link.ts";
import type { CommandState } from "../../../../../engine/payments/command.ts";
import type { TransactionStatus } from "../../../../../engine/payments/transaction.ts";
import type { PortalLinkState } from "../../../../../engine/portal-links/portal-link.ts";
import type { SubscriptionState } from "../../../../../engine/subscriptions/subscription.ts";
import type { ZvtOutcome } from "../../../../../engine/zvt/zvt-payments.ts";

/** What anything that is found may be in, or have become: one word for one thing, whichever case its kind writes it in. */
export type HitState =
  | Lowercase<
      TransactionStatus | CommandState | LinkState | IntentStatus | AttemptState | PortalLinkState | SubscriptionState | ZvtOutcome["type"]
    >
  | "overdue"
  | "requested"
  | "refused";
