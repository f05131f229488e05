import type { CommitPart } from "../kernel/commit-part.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { FollowUpAsker } from "./link.ts";
import type { LinkChange } from "./link-store.ts";

/** What a companion makes of a step: entries for its commit, or that the step must not be. */
export type Accompanied =
  | (CommitPart & {
      /** Nobody wants this payment: the relay is to give it back by itself. */
      readonly unwanted?: true;
      /** What operators are told of a payment that comes too late, by a companion that knows more of it than its link: in place of the link's own item, once for one fact. */
      readonly late?: AttentionItem;
      /** Called once the commit has happened; not where that is not known. */
      committed?(): void;
    })
  | "refused";

/**
 * Somebody who keeps records beside a link's (a callback that is owed, the intent that a link is an attempt at). It is asked before each commit of a link, and its entries
 * are stored with the step or not at all. When one of its checks does not hold, everything is read again and decided again. It may refuse what a caller
 * wants: that a link comes to be, that it is revoked, that a capture, reversal or refund is begun. It may not refuse what the gateway says.
 * `cause` is what the caller gave along, as it is; null for what the gateway or the time caused.
 */
export type LinkCompanion = (change: LinkChange, cause: LinkCause | null) => Promise<Accompanied>;

/** Of a request that no companion has to know of. */
export function causeOf(requestId: string | undefined, askedBy?: FollowUpAsker): LinkCause | null {
  if (requestId === undefined && askedBy === undefined) return null;
  return { surface: "links", requestId: requestId ?? null, ...(askedBy === undefined ? {} : { askedBy }) };
}

/** What a caller tells the companions of its request. Each surface has a class of its own for it, and its companion knows it by that. */
export interface LinkCause {
  /** Told apart in logs and tests only. */
  readonly surface: string;
  /** Of the request, as its caller was answered; for logs. */
  readonly requestId?: string | null;
  /** Who wants a capture, reversal or refund. */
  readonly askedBy?: FollowUpAsker;
}
